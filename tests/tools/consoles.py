"""The film on the home page, nbs/images/consoles.gif, and its last picture: `python tests/tools/consoles.py` makes them anew.

The same consoles twice, from the same state. Those on the left are played by random buttons, those on the right by the policy that
comes with the package. Who stands before the chest in the cellar gets a green frame and rests."""
import gbxnb
import numpy as np
import torch
from gbxnb.emulator.emulator import Emulator
from gbxnb.games.bundled import START, rom
from gbxnb.base.figures import palette_rgb, pixel_image
from PIL import GifImagePlugin
from pages import root

FILM = root/'nbs/images/consoles.gif'
HALF, ROWS = 6, 6 # consoles in a row of one half, and rows
STEPS, EACH = 22, 8 # environment steps, and console frames between two pictures
COLOURS = (*palette_rgb(), (15, 56, 15), (139, 172, 15)) # the shades, the ground, a goal that is reached
GROUND, GOAL, SAME = 4, 5, 6
GAP, MIDDLE = 8, 40 # pixels between consoles, and between the halves

def place(i):
    "Upper left corner of a console, random ones first."
    half, n = divmod(i, HALF*ROWS)
    row, col = divmod(n, HALF)
    return GAP + row*(144+GAP), GAP + (col + half*HALF)*(160+GAP) + half*(MIDDLE-GAP)

def picture(frames, reached):
    "All consoles at one moment."
    h, w = place(len(frames)-1)
    whole = np.full((h+144+GAP, w+160+GAP), GROUND, np.uint8)
    for i, (frame, goal) in enumerate(zip(frames, reached)):
        y, x = place(i)
        if goal: whole[y-GAP:y+144+GAP, x-GAP:x+160+GAP] = GOAL
        whole[y:y+144, x:x+160] = frame
    return whole

def play(seed=0):
    "Pictures of the whole, and which consoles reached the goal."
    n = 2*HALF*ROWS
    env, policy = gbxnb.make('town/chest', num_envs=n, max_steps=512), gbxnb.load_policy()
    obs, _ = env.reset(seed=seed)
    e, draws, reached, pictures = Emulator(rom(), n), torch.Generator().manual_seed(seed), torch.zeros(n, dtype=torch.bool), []
    for keys, frames in START:
        e.set_buttons(keys)
        e.run_frames(frames)
    def look(): return np.stack([e.frame(i) for i in range(n)])
    frames = look()
    assert (frames == env.frames().numpy()).all(), 'the consoles of the film start where those of the environment do'
    pictures.append(picture(frames, reached))
    for _ in range(STEPS):
        chance = torch.randint(env.num_actions, (n,), generator=draws)
        actions = torch.where(torch.arange(n) < n//2, chance, torch.as_tensor(policy(obs)))
        e.set_buttons(env.codec.masks[actions.numpy()])
        before = reached.clone()
        obs, _, done, _, _ = env.step(actions)
        for k in range(24//EACH):
            e.run_frames(EACH)
            if not k: e.set_buttons(0)
            frames = np.where(before.numpy()[:, None, None], frames, look())
            if (k + 1)*EACH == 24: reached |= done
            pictures.append(picture(frames, reached))
        same = (frames == env.frames().numpy()).all((1, 2))
        assert same[~reached.numpy()].all(), 'both play the same game'
    return pictures, reached.numpy()

def image(picture):
    "With the colours it is seen in."
    return pixel_image(picture, colors=(*COLOURS, (0, 0, 0)))

def gif(pictures, ms=133, rest=2500):
    "An endless film that rests on its last picture; of each but the first only what changed is kept."
    kept = [pictures[0], *(np.where(new == old, SAME, new) for old, new in zip(pictures, pictures[1:]))]
    images = [*map(image, kept)]
    header = b'GIF89a' + b''.join(GifImagePlugin.getheader(images[0])[0])[6:]
    endless = b'\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00'
    times = [ms]*(len(images)-1) + [rest]
    blocks = (GifImagePlugin.getdata(i, transparency=SAME, disposal=1, duration=t) for i, t in zip(images, times))
    return header + endless + b''.join(map(b''.join, blocks)) + b';'

if __name__ == '__main__':
    pictures, reached = play()
    FILM.write_bytes(data := gif(pictures))
    image(pictures[-1]).save(FILM.with_suffix('.png'), optimize=True)
    half = len(reached)//2
    print(f'{FILM.relative_to(root)}: {len(data):,} bytes, {len(pictures)} pictures of {pictures[0].shape[::-1]}; '
          f'reached the goal: {reached[:half].sum()} of {half} by chance, {reached[half:].sum()} of {half} by the policy')
