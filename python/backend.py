# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the wheel for pip (PEP 517): the library by CMake, then a zip of the package with the library
inside.

    pip install ./python

It builds in build/wheel. GREBE_BUILD=FOLDER takes a build that is there. Kits are in it where GSL is."""
import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def get_requires_for_build_wheel(config_settings=None):
    del config_settings
    return []


def version():
    text = (ROOT / 'core' / 'version.h').read_text(encoding='utf-8')
    return '.'.join(re.findall(r'^#define GB_VERSION_\w+ (\d+)$', text, re.M))


def built():
    """Returns a folder in which the library and its description have been built."""
    given = os.environ.get('GREBE_BUILD')
    if given:
        return pathlib.Path(given)
    if not shutil.which('cmake'):
        raise RuntimeError('grebe is built by CMake, which is not installed: apt-get install cmake '
                           'ninja-build gcc libsleef-dev zlib1g-dev, and libgsl-dev for the kits')
    folder = ROOT / 'build' / 'wheel'
    kits = subprocess.run(['pkg-config', '--exists', 'gsl'], check=False).returncode == 0 \
        if shutil.which('pkg-config') else False
    generator = ['-G', 'Ninja'] if shutil.which('ninja') else []
    options = {'CMAKE_BUILD_TYPE': 'Release', 'GB_TESTS': 'OFF', 'GB_EXAMPLES': 'OFF', 'GB_BENCH': 'OFF',
               'GB_MPI': 'OFF', 'GB_KIT': 'ON' if kits else 'OFF'}
    subprocess.run(['cmake', *generator, '-S', str(ROOT), '-B', str(folder),
                    *(f'-D{name}={value}' for name, value in options.items())], check=True)
    subprocess.run(['cmake', '--build', str(folder), '--target', 'python', '-j', str(os.cpu_count() or 1)],
                   check=True)
    return folder


def metadata():
    lines = ['Metadata-Version: 2.1', 'Name: grebe', f'Version: {version()}',
             'Summary: Gradient estimators for the Bayesian evidence: variational inference',
             'License: GPL-3.0-or-later', 'Requires-Python: >=3.10', 'Requires-Dist: numpy']
    for extra, package in (('tables', 'pandas'), ('draws', 'arviz'), ('pictures', 'matplotlib')):
        lines += [f'Provides-Extra: {extra}', f'Requires-Dist: {package}; extra == "{extra}"']
    return '\n'.join(lines) + '\n'


def wheel_text():
    return f'Wheel-Version: 1.0\nGenerator: grebe\nRoot-Is-Purelib: false\nTag: {tag()}\n'


def tag():
    return 'py3-none-' + re.sub('[-.]', '_', sysconfig.get_platform())


def files(stage):
    """Returns (name, path) of what the wheel has. Libraries stand there under the name that the loader looks
    for, which is a link to a longer one."""
    paths = sorted(path for path in stage.rglob('*') if path.is_file() and '__pycache__' not in path.parts)
    behind = {path.resolve() for path in paths if path.is_symlink()}
    return [(path.relative_to(stage).as_posix(), path) for path in paths
            if path.is_symlink() or path not in behind]


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes what pip asks before it builds, and returns the folder's name."""
    del config_settings
    name = f'grebe-{version()}.dist-info'
    folder = pathlib.Path(metadata_directory, name)
    folder.mkdir()
    (folder / 'METADATA').write_text(metadata(), encoding='utf-8')
    (folder / 'WHEEL').write_text(wheel_text(), encoding='utf-8')
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel and returns its name."""
    del config_settings, metadata_directory
    folder = built()
    name = f'grebe-{version()}-{tag()}.whl'
    information = f'grebe-{version()}.dist-info'
    with tempfile.TemporaryDirectory() as scratch:
        stage = pathlib.Path(scratch).resolve()
        subprocess.run(['cmake', '--install', str(folder), '--component', 'wheel', '--prefix', str(stage)],
                       check=True, stdout=subprocess.DEVNULL)
        contents = [(each, path.read_bytes()) for each, path in files(stage)]
    contents += [(f'{information}/METADATA', metadata().encode()),
                 (f'{information}/WHEEL', wheel_text().encode()),
                 (f'{information}/LICENSE', (ROOT / 'LICENSE').read_bytes())]
    record = ''
    with zipfile.ZipFile(os.path.join(wheel_directory, name), 'w', zipfile.ZIP_DEFLATED) as archive:
        for each, data in contents:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()
            record += f'{each},sha256={digest},{len(data)}\n'
            archive.writestr(each, data)
        archive.writestr(f'{information}/RECORD', record + f'{information}/RECORD,,\n')
    return name


def build_sdist(sdist_directory, config_settings=None):
    del sdist_directory, config_settings
    raise RuntimeError('a source distribution of the Python package alone would lack the library: take '
                       'that of grebe as a whole')
