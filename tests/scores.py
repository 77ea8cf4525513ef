"""Numbers that find themselves: what `gbxnb score` finds in 49 games, beside what people see on their screens.

    python tests/scores.py ROMS nbs/studies/results/scores.json    a folder with the ROMs, whatever they are called

The list is of gbdev/database at commit 8a36461e: entries of type game with an open licence in game.json whose playable ROM is whole and not
for the Game Boy Color alone, in the order of their names: 49. On every third from the first (17) the method was made. `scores_truth.json`
says which numbers each game shows, seen on pictures of random play before anything was looked for; for the 32 others it was written down
by somebody who had not seen the method. A game *shows numbers* if one was seen to be there in play or on a screen that random keys reach.
It is *found* if a number of it was read off the screen and matched with memory, *proved* if one passed the check of cause."""
import argparse, json, resource, subprocess, sys, time
from pathlib import Path
from strangers import roms_by_hash
from gbxnb.base.files import UserError, cli_errors, read_json, write_atomic
from gbxnb.score.match import Fit

TRUTH = Path(__file__).with_name('scores_truth.json')

def counter(c):
    "A number as JSON."
    q, f = c.number.place, c.match.found
    seen = c.number.values[c.number.values >= 0]
    return dict(kind=c.kind, name=c.name, at=f'{int(f.variable.at):04X}', form=f.form, times=f.times, plus=f.plus,
                derived=isinstance(c.match, Fit),
                proved=c.proved, agree=round(c.match.agree, 3), shows=round(c.cause.shows, 3), lasts=round(c.cause.lasts, 3),
                hidden=c.cause.hidden, layer=q.layer, y=q.y, x=q.x, cells=q.cells, learned=q.font.learned,
                least=int(seen.min()), most=int(seen.max()), distinct=c.number.distinct, shown=round(c.number.shown, 3))

def find(rom, picture, seed=0):
    "What is found in a game, in how many seconds and how much memory."
    from gbxnb.base.figures import png_bytes
    from gbxnb.emulator.cartridge import Cartridge
    from gbxnb.envs.task import find_start
    from gbxnb.score.find import find_counters
    from gbxnb.score.record import record
    from gbxnb.score.proposal import named
    from gbxnb.score.score import picture as draw
    cart, began = Cartridge.load(rom), time.perf_counter()
    p = record(cart, find_start(cart)[1], seed=seed)
    played = time.perf_counter() - began
    counters = find_counters(p, seed)
    seconds = time.perf_counter() - began
    numbers = named(counters)
    if picture and numbers: write_atomic(picture, png_bytes(draw(p, numbers)))
    return dict(played_s=round(played, 1), seconds=round(seconds, 1), mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
                numbers=[counter(c) | dict(called=next((k for k, x in numbers.items() if x is c), '')) for c in counters])

@cli_errors
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('roms', help='a folder with the ROMs')
    parser.add_argument('out', help='the results; what is in them already is not repeated')
    parser.add_argument('--pictures', default='', help='a folder for a picture of each game')
    parser.add_argument('--one', default='', help='one game of the list; prints its row')
    args = parser.parse_args()
    truth = read_json(TRUTH, fix='it stands beside this script')
    if args.one:
        return print(json.dumps(find(args.roms, f'{args.pictures}/{args.one}.png' if args.pictures else '')))
    files = roms_by_hash(Path(args.roms), [t['sha256'] for t in truth.values()])
    out = read_json(args.out, fix='it is what this script wrote') if Path(args.out).exists() else dict(games={})
    for slug, t in truth.items():
        if slug in out['games']: continue
        ran = subprocess.run([sys.executable, __file__, files[t['sha256']], args.out, '--one', slug, '--pictures', args.pictures],
                             capture_output=True, text=True)
        if ran.returncode: raise UserError(f'{slug}: {ran.stderr.strip().splitlines()[-1]}')
        out['games'][slug] = json.loads(ran.stdout)
        write_atomic(args.out, json.dumps(out, indent=1) + '\n')
        row = out['games'][slug]
        print(slug, row['seconds'], *(f"{n['called']} {n['at']}" for n in row['numbers'] if n['proved']), flush=True)

if __name__ == '__main__': main()
