"A run that met a bug in its second update."
import pytest

from gbxnb.base.command import call
from gbxnb.training.callbacks import ReportErrors
from gbxnb.runs.train import train_cli

WORDS = ('--num-envs 4 --rollout-steps 8 --minibatches 2 --epochs 1 --model small town/house --device cpu --max-steps 6 --eval-episodes 0 '
         '--save-every 1 --steps 96').split()

def run(out):
    "Let a run end badly in the folder `out`."
    with pytest.MonkeyPatch.context() as m, pytest.raises(ZeroDivisionError):
        m.setattr(ReportErrors, 'on_update', lambda self, run: 1//(2 - run.update))
        call(train_cli, '--out', out, *WORDS)
    return out
