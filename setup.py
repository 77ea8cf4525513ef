"Package metadata, read from settings.ini so there is one place to edit."
from configparser import ConfigParser
from pathlib import Path
import re, shlex, sys
import setuptools
from setuptools.command.build_py import build_py

config = ConfigParser(delimiters=['='])
config.read('settings.ini', encoding='utf-8')
cfg = config['DEFAULT']
training = 'adapters', 'wandb', 'tensorboard' # these are on top of rl
names = 'rl', 'lab', 'browser', 'dev', *training
extras = {name: shlex.split(cfg[f'{name}_requirements']) for name in names}
for name in training: extras[name] += extras['rl']
extras['browser'] += extras['rl'] + extras['lab']
extras['dev'] += extras['browser']
lib, source = cfg['lib_path'], f'{cfg["git_url"]}/blob/{cfg["branch"]}'
site = cfg['doc_host'] + cfg['doc_baseurl']

def address(path):
    "Where a file is seen from outside: pages and pictures on the site, others in the repository."
    name, hash, place = path.partition('#')
    if not name or '://' in name: return path
    if name.startswith('nbs/') and name.endswith(('.ipynb', '.png', '.gif', '.svg')):
        name = f'{site}/{name[4:].replace(".ipynb", ".html")}'
    else: name = f'{source}/{name}'
    return name + hash + place

def for_an_index(text):
    "README.md as a package index shows it, where links and pictures have no checkout beside them."
    text = re.sub(r'\]\(([^)\s]+)\)', lambda m: f']({address(m[1])})', text)
    return re.sub(r'(<(?:img|source) [^>]*?src(?:set)?=")([^"]+)', lambda m: m[1] + address(m[2]), text)

class Build(build_py):
    "The package with its stubs: in the wheel, or in the checkout that is installed as it stands."
    def run(self):
        super().run()
        sys.path.insert(0, str(Path(__file__).parent/'tests/tools'))
        import stubs
        stubs.write(Path('.' if self.editable_mode else self.build_lib)/lib)

first, last = (int(cfg[name].split('.')[1]) for name in ('min_python', 'max_python'))
setuptools.setup(
    name=cfg['lib_name'], version=cfg['version'], description=cfg['description'],
    author=cfg['author'], author_email=cfg['author_email'], keywords=cfg['keywords'].split(),
    url=cfg['git_url'],
    project_urls=dict(Documentation=f'{site}/', Source=cfg['git_url'], Issues=f'{cfg["git_url"]}/issues',
                      Changelog=f'{source}/CHANGELOG.md'),
    # an editable install puts this folder on the path: else a clone's `gbxnb/` hides `gbxnb/gbxnb`
    package_dir={'': '.'},
    packages=setuptools.find_packages(include=[lib, lib+'.*']),
    package_data={lib: ['py.typed', 'data/*', 'data/policy/*', 'data/policy/world/*', 'lab/static/*']},
    cmdclass=dict(build_py=Build), python_requires='>='+cfg['min_python'],
    install_requires=shlex.split(cfg['requirements']), extras_require=extras,
    classifiers=['Development Status :: '+cfg['status'], 'Intended Audience :: '+cfg['audience'],
                 'Intended Audience :: Science/Research', 'Operating System :: POSIX :: Linux',
                 'Operating System :: MacOS', 'Operating System :: Microsoft :: Windows',
                 'Programming Language :: Python :: 3 :: Only',
                 *(f'Programming Language :: Python :: 3.{minor}' for minor in range(first, last + 1)),
                 'Topic :: Scientific/Engineering :: Artificial Intelligence',
                 'Topic :: System :: Emulators', 'Typing :: Typed'],
    long_description=for_an_index(Path('README.md').read_text(encoding='utf-8')),
    long_description_content_type='text/markdown',
    entry_points=dict(console_scripts=cfg['console_scripts'].split(), nbdev=[f'{lib}={lib}._modidx:d']))
