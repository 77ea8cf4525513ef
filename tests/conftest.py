import gc

import surroundings # before what looks at them
import processes
import pytest

def pytest_addoption(parser): parser.addoption('--slow', action='store_true', help='also run what needs a browser or minutes')

def pytest_configure():
    for nest in 'cold', 'warm': processes.open_nest(nest)

def pytest_collection_modifyitems(config, items):
    "What is slow runs with `--slow` (`make slow`)."
    if config.getoption('--slow'): return
    slow = {item for item in items if item.get_closest_marker('slow')} # a keyword may be the name of a folder, too
    items[:] = [item for item in items if item not in slow]
    config.hook.pytest_deselected(items=slow)

@pytest.fixture(autouse=True)
def drawn_plots(request, monkeypatch):
    "What is about plots has them drawn; elsewhere `make test` has blank ones."
    if request.node.get_closest_marker('plots'): monkeypatch.setenv(surroundings.PLOTS, 'drawn')

@pytest.fixture(autouse=True, scope='module')
def small_heap():
    "What earlier tests left is looked at no more, neither by Python's collector nor by what asks for all objects."
    gc.collect()
    gc.freeze()

def pytest_sessionfinish():
    "Each notebook's shell collects garbage when the process ends: with nothing left to look at, sixty of them cost nothing."
    gc.freeze()
