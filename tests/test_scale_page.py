"The lines of the page on scale, typed: with other sizes, folders and addresses, and one machine in place of two."
import os, re, subprocess, sys
from pathlib import Path
import kills, processes
import pytest
from pages import book, root

pytestmark = pytest.mark.slow
BIN = Path(sys.executable).parent
SMALL = ('--rollout-steps 8 --minibatches 2 --model small --max-steps 7 --start-noops 3 --eval-episodes 0 --save-every 2 --lr 1e-3 '
         '--steps 128 --device cpu')
GO_ON = '--steps 256 --eval-episodes 0 --device cpu'
FAKES = dict(scontrol='echo localhost; echo elsewhere', # two hosts, and each step of a job on both
             srun='for n in 0 1; do SLURM_NODEID=$n "$@" & done; wait -n && wait -n')

def blocks():
    "Every block of the chapter, its continued lines joined."
    text = '\n'.join(''.join(c['source']) for c in book(root/'nbs/training/07_at_scale.ipynb')['cells'] if c['cell_type'] == 'markdown')
    return [re.sub(r'\\\n *', '', block) for block in re.findall(r'```\n(.*?)```', text, re.S)]

def small(text, at, port):
    "What is typed here: it plays little, and lives in a folder of its own."
    here = {'--num-envs 16384': '--num-envs 8', '--num-envs 65536': '--num-envs 8', '10.0.0.1': '127.0.0.1', '29500': port,
            '--nproc-per-node 4': '--nproc-per-node 2', '/runs/': f'{at}/', ' runs/': f' {at}/'}
    for old, new in here.items(): text = text.replace(old, new)
    more = lambda line: line + (f' {GO_ON}' if '--resume' in line else f' town/house {SMALL}' if 'gbxnb train' in line else '')
    return '\n'.join(more(line) if not line.endswith("'") else f"{more(line[:-1])}'" for line in text.splitlines())

def type_(text, at, **env):
    "Let a shell do it."
    fakes = at/'fakes'
    fakes.mkdir(exist_ok=True)
    for name, does in FAKES.items():
        (fakes/name).write_text(f'#!/bin/bash\n{does}\n')
        (fakes/name).chmod(0o755)
    path = os.pathsep.join([str(fakes), str(BIN), os.environ['PATH']])
    return subprocess.Popen(['bash', '-ec', text], env=os.environ | dict(PATH=path, OMP_NUM_THREADS='1') | env, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)

def both(text, at):
    "The words of two hosts, which differ in what each is."
    there = {'--node-rank 0': '--node-rank 1', 'is_host=1': 'is_host=0'}
    other = re.sub('|'.join(there), lambda m: there[m[0]], text)
    started = [type_(t, at) for t in (text, other)]
    said = [p.communicate(timeout=300)[0] for p in started]
    assert [p.returncode for p in started] == [0, 0], said
    return said

def done(p):
    said = p.communicate(timeout=300)[0]
    assert p.returncode == 0, said
    return said

def test_every_line_is_tried():
    assert len(blocks()) == 8 and all('gbxnb' in b for b in blocks())

def test_one_host(tmp_path):
    "One process, several, and another number of them."
    one, four, *_, again = (small(b, tmp_path, processes.port()) for b in blocks())
    for text in one, four: done(type_(text, tmp_path))
    assert kills.update(tmp_path/'one') == kills.update(tmp_path/'four') == 2
    by_two, by_one = again.splitlines()
    done(type_(by_two, tmp_path))
    assert kills.update(tmp_path/'four') == 4
    done(type_(by_one.replace('--steps 256', '--steps 320'), tmp_path))
    assert kills.update(tmp_path/'four') == 5

@pytest.mark.parametrize('number, out', [(2, ''), (3, 'big'), (4, 'big')])
def test_two_hosts(tmp_path, number, out):
    "Looking before the run; static, and c10d."
    said = both(small(blocks()[number], tmp_path, processes.port()), tmp_path)
    if out: assert kills.update(tmp_path/out) == 2 and not kills.left_over(tmp_path/out)
    else: assert 'round trip' in said[0] and 'round trip' not in said[1]

def test_slurm(tmp_path):
    text = small(blocks()[5], tmp_path, processes.port())
    done(type_(text, tmp_path, SLURM_JOB_NODELIST='node[1-2]', SLURM_NNODES='2', SLURM_JOB_ID='7'))
    assert kills.update(tmp_path/'big') == 2

def test_skypilot(tmp_path):
    run = blocks()[6].split('run: |\n')[1]
    text = small('\n'.join(line.strip() for line in run.splitlines()), tmp_path, processes.port())
    env = dict(SKYPILOT_NUM_NODES='2', SKYPILOT_NODE_IPS='127.0.0.1\n127.0.0.2', SKYPILOT_NUM_GPUS_PER_NODE='1', SKYPILOT_TASK_ID='x')
    for p in [type_(text, tmp_path, SKYPILOT_NODE_RANK=str(r), **env) for r in range(2)]: done(p)
    assert kills.update(tmp_path/'big') == 2
