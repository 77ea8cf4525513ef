"""Games that nobody here has played: from the bare ROM, by printed lines alone, is a far place learned in five minutes?

    python tests/strangers.py ROMS nbs/tutorials/results/strangers.json    a folder with the ROMs, whatever they are called

`gbxnb explore` is typed, then the line that it prints, then `gbxnb eval` on 256 episodes and as many of random buttons. A game counts if
the place is 30 actions away or more, the policy comes there in 80% of the episodes and random buttons in 20% at most, and the first two
commands together took five minutes at most. The first three games have three seeds. What is on record is not repeated.

The rule was written down before any of these games was explored or trained in. The list is of gbdev/database at commit 8a36461e: entries of
type game and platform GB, with an open licence in game.json and a playable .gb file; without those that exploring, goals or learning of
this project ever used (Adjustris, Airaki, Carazu, Grub Glide, Libbet, PostBot, Squishy, both Tobu Tobu Girls); in the order of their
SHA-256, the first twelve. Others of that list (Airplanz, El Jamon Volador, 5 more mazes, Snake, Tuff, Big2Small, Rex Runner, Shock Lobster,
Max Pirate) were looked at while `explore` and imitation were made. The first three of the twelve were run before scripts were imitated, at
commit 1f580eee: 5.5% at 36 actions, no place, 7.0% at 30 actions; nothing was changed for them. All twelve were run at bc18775a; then the
causes were looked for, in Max Pirate Extra Boom and Domination, and the recipe was changed by what they showed. So the seven of the list
that nothing here had run follow (the two of mazes resemble 5 more mazes), written down before they were run: at f133832d 8 of the twelve
counted and 5 of the seven. Renegade Rush's places there were all its pause, over the road; screens where START has stopped the game were
left out since, and all was run again."""
import argparse, json, re, shlex, shutil, subprocess, sys, tempfile, time
from pathlib import Path
from gbxnb.base.files import UserError, cli_errors, read_json, sha256, write_atomic

GAMES = { # name of the file: title, licence, SHA-256
    'renegade-rush.gb': ('Renegade Rush', 'MIT', '0511a3de1bb59a5bd8bcf4e1463df7ea03a2aae66f30542b85ee51aa25f527a6'),
    'dashy-no-witch.gb': ('Dashy No Witch', '0BSD', '102e04c6559afec6d007c1ded5c32c14492a1fa680b86384e3fb8100e189bdf1'),
    'maxpirateeb.gb': ('Max Pirate Extra Boom', 'MIT', '11320e82aea34d56c3b8b5cabd3c15122ff0bbb281ec397d39b3f80a0bda688c'),
    'plutos-corner.gb': ("Pluto's Corner", 'CC-BY-NC-SA', '1647c713b49641a69d719238dde2e7015699389adefbd1f4b340bc0b6cd41d68'),
    'crystal-lake.gb': ('Crystal Lake', 'Zlib', '1688e11265c729eecbd26e46c4090dfcdcb79637800b8ca92d6c3170684826c5'),
    'bit_bang.gb': ('Bit Bang', 'GPL-3.0-or-later', '2a4e25370cab3fa7b76a7ca630321b585be70aa4030ac776228c0641154c7735'),
    'gbccardgame.gb': ('Pelmanism', 'MIT', '3dcfc0c06543f3006a2d8344661c9da94b5266c34a4e310d8f42b8f17ded6a0a'),
    'superconnard.gb': ('Super Connard', 'CC-BY-NC-SA-4.0', '3e81e30535d86b46b5002e9c63bc5ca9b7e6e5e28dbcf3ab81877fd294ef7db8'),
    'domination.gb': ('Domination', 'MIT', '3e87c6be7de03ecb97690a5dbcffac312344807eaae31ceaec71df9d24c0c133'),
    '2048gb.gb': ('2048gb', 'Zlib', '3ea2376b15b34bd26b10e6b31d2753bf8b086098dbdb5ee84d9c0f03d66d3d7f'),
    'zone-booth_pizza-palace.gb': ('Pizza Palace', 'GPL-3.0-only', '40ae5e447079216af2a95ff446039aa3b65d42edaffee9e113305d1a4bf5ed33'),
    'jp.gb': ('JP', 'MIT', '417fa2e7287fb26f27bc90f51e36c3edb7f5a6745654af870b2cb6fa587bdc8a'),
    'plantboy.gb': ('PlantBoy', 'MIT', '4b62569dfa8eda20912166b66306ff71885282916e78d760e2a7e3ec4ab3aa01'),
    '5-mazes.gb': ('5 mazes', 'CC-BY-SA-4.0', '4cb6a4a021056164dfad11ba041cb1c36d7453d2ebe6bb7fa9fe4b3eadbc4c60'),
    'battlegrounds.gb': ('Madpews Battlegrounds', 'Unlicense', '6aa0bfb4223def21034226ce61550ed1efb64da72a2b41a2f7d702a902ece4f3'),
    'rex-run.gb': ('Rex Run', 'GPL-3.0', '9e074f66648f709528e4fc908dd979d098d74ab54cb24d09a75fa69d674eccaf'),
    '5-mazes-master.gb': ('5 mazes: Master levels', 'CC-BY-SA-4.0', 'abc7cb1a6f83a8770822c189dc2a978116a025cd393106791e1b6c977c8b4034'),
    'gb-wordyl.gb': ('GB-Wordyl', 'GPL-3.0', 'acc12e3e920e0c432606846da60a5ca9bba21f8012304e8de4a26f88273d14de'),
    'life.gb': ('Game (Boy) of Life', 'GPL-3.0-or-later', 'd491f5d18f0fad55e660277210d1a07a7b52b65c480927e5c78f2f70d824895a')}
ACTIONS, SUCCESS, RANDOM, SECONDS, EPISODES = 30, .8, .2, 300, 256

def roms_by_hash(folder, wanted):
    "The files of ROMs by SHA-256; all that are wanted must be there."
    found = {sha256(p.read_bytes()): p.resolve() for p in sorted(folder.iterdir()) if p.is_file()}
    if lack := [h[:16] for h in wanted if h not in found]: raise UserError(f'{folder}: has no ROM with SHA-256 {", ".join(lack)}')
    return found

def typed(line, folder):
    "Exit status, output, last line of errors and seconds of a command, as a shell would run it."
    began = time.perf_counter()
    ran = subprocess.run([sys.executable, '-m', *shlex.split(line)], cwd=folder, capture_output=True, text=True)
    return ran.returncode, ran.stdout, (ran.stderr.strip().splitlines() or [''])[-1], round(time.perf_counter() - began, 1)

def judged(run, folder):
    "Share of episodes that reach the goal, of the policy and of random buttons, each with its interval."
    status, out, error, _ = typed(f'gbxnb eval {shlex.quote(run)} --episodes {EPISODES} --random', folder)
    if status: return dict(cause=error)
    found = json.loads(out)
    def kept(e): return {k: e[k] for k in ('success_rate', 'success_interval', 'median_steps_to_goal')}
    return dict(episodes=EPISODES, policy=kept(found), random=kept(found['random']))

def play(rom, folder, seed=0):
    "What the printed lines come to, from a ROM; none is the bundled game."
    status, out, error, seconds = typed(f'gbxnb explore {rom and shlex.quote(rom)} --out map' + f' --seed {seed}'*bool(seed), folder)
    row = dict(seed=seed, explored_s=seconds)
    if status: return row | dict(cause=error)
    line = out.split('train with: ')[1].splitlines()[0]
    task = re.search(r'gbxnb train map/(\d+) ', line)[1]
    table = {r.split()[0]: int(r.split()[1]) for r in out.splitlines() if re.match(r' +\d+ +\d+ ', r)}
    row |= dict(line=line, places=len(table), place=int(task), actions=table[task],
                left_out=out.split('left out: ')[1].splitlines()[0])
    status, _, error, seconds = typed(line + f' --seed {seed}'*bool(seed), folder)
    row |= dict(trained_s=seconds)
    return row | (dict(cause=error) if status else judged('map/run', folder))

def verdict(row):
    "Empty if all was reached, or what was missed."
    if 'cause' in row: return row['cause']
    seconds = row['explored_s'] + row['trained_s']
    missed = {f'{row["actions"]} actions': row['actions'] < ACTIONS, f'{seconds:.0f} s': seconds > SECONDS,
              f'success {row["policy"]["success_rate"]:.1%}': row['policy']['success_rate'] < SUCCESS,
              f'random {row["random"]["success_rate"]:.1%}': row['random']['success_rate'] > RANDOM}
    return ', '.join(k for k, v in missed.items() if v)

def main():
    p = argparse.ArgumentParser()
    p.add_argument('roms', type=Path)
    p.add_argument('out', type=Path)
    a = p.parse_args()
    rows = read_json(a.out)['rows'] if a.out.exists() else []
    roms = roms_by_hash(a.roms, [sha for _, _, sha in GAMES.values()])
    wanted = [(name, seed) for k, name in enumerate(GAMES) for seed in range(3 if k < 3 else 1)]
    for name, seed in wanted[len(rows):]:
        title, licence, sha = GAMES[name]
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(roms[sha], Path(folder)/name)
            row = dict(file=name, title=title, licence=licence, rom_sha256=sha) | play(name, folder, seed)
        rows.append(row | dict(missed=verdict(row)))
        write_atomic(a.out, json.dumps(dict(rows=rows), indent=1) + '\n')
        print(json.dumps({k: v for k, v in rows[-1].items() if k not in ('rom_sha256', 'licence', 'left_out')}), flush=True)

if __name__ == '__main__': cli_errors(main)()
