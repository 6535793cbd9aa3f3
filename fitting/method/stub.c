#include "fitting/method/search_impl.h"
bool gb_search_stochastic(gb_search *s){(void)s;return false;}
