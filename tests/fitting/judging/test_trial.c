#include "support/close.h"
#include <stdio.h>
#include "distributions/list.h"
#include "estimators/list.h"
#include "fitting/judge.h"
#include "ops/array.h"
#include "ops/elementwise.h"
#include "ops/reduce.h"
static const struct plant { const char *name; double sd, off; } plants[] = {{"exact",1,0},{"narrow", .55,0},{"wide",2,0},{"off",1,.4},{"seven",.7,0},{"off3",1,.3}};
TEST(trial) {
  static const int dims[]={1,2,5,10,20,50};
  for (size_t p=0;p<6;p++) for (int k=0;k<6;k++) {
    int d=dims[k]; int count[5]={0}; 
    gb_tape *u=test_tape(.seed=3);
    gb_elbo *e=gb_elbo_new(u,.data_size=1);
    gb_latent(e,"w",gb_mean_field(gb_shape(d),.location=plants[p].off,.scale=plants[p].sd),gb_normal(gb_num(u,0),gb_num(u,1)),gb_pathwise());
    gb_density *dn=gb_density_new(e);
    double sec=0; size_t draws=0; char words[4096]="";
    for (int s=0;s<10;s++){ gb_judgement *j=gb_judge(e,.density=dn,.seed=(uint64_t)s+1); if(!j) fail_msg("%s",gb_error_text(u));
      count[j->verdict]++; sec+=j->seconds; draws+=j->draws; if(s==0) strcpy(words,j->words);
      gb_judgement_free(j);} 
    printf("%s d=%d: none %d conv %d trust %d means %d good %d; %.3f s, %zu draws\n%s\n",plants[p].name,d,count[0],count[1],count[2],count[3],count[4],sec/10,draws/10,words);
  }
}
