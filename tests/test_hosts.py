"A run across hosts, each with a name, a disk and cards of its own: what fails there, and what the run makes of it."
import functools
import hosts
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why := hosts.lacking()), reason=f'no hosts here: {why}')]

@functools.cache
def like(updates): return hosts.alone(*hosts.WORDS, updates=updates)

@pytest.mark.parametrize('name, play', hosts.scenarios(like), ids=lambda x: x if isinstance(x, str) else '')
def test_hosts(name, play):
    found = play()
    assert not found['wrong'], found
