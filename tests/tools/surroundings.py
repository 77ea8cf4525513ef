"What every check finds around it: importing this sets it, before numpy and torch look at it."
import os, signal, sys
from pathlib import Path

from pages import root

signal.signal(signal.SIGINT, signal.default_int_handler) # a shell has its background processes ignore it, and their children do
signal.signal(signal.SIGHUP, signal.SIG_DFL) # and so has nohup
os.environ |= dict(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", OMP_NUM_THREADS='1', MPLBACKEND='Agg',
                   PYTHONUNBUFFERED='1', PYTHONWARNINGS='ignore::DeprecationWarning', HYPOTHESIS_STORAGE_DIRECTORY=str(root/'.hypothesis'),
                   GBXNB_TRACES='off') # but where a test asks for them: two cores have enough to do
sys.path[:0] = [str(root)]
PLOTS = 'GBXNB_TEST_PLOTS' # the variable that is `drawn` where a test looks at plots; see warm.py
