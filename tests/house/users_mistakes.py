"Mistakes that a checker of types finds before anything runs: each line with a comment behind it has one, `test_types.py` compares."
import torch
import gbxnb
from gbxnb.emulator.cartridge import Cartridge
from gbxnb.envs.config import EnvConfig

env = gbxnb.make('town/chest', num_envs=4)
gbxnb.make('town/chest', num_envs='4') # a number as text
gbxnb.make('town/chest', num_env=4) # an option's name
gbxnb.make('town/chest', max_steps='64') # a number as text
gbxnb.make('town/chest', info_mode='all') # none of its words
gbxnb.make('town/chest', backend='pyboy') # none of its words
gbxnb.mak('town/chest') # the name of a function
obs, reward, done, info = env.step(torch.zeros(4)) # five are returned
obs = env.reset(0, 1, 2) # too many arguments
obs, info = env.reset(seed='0') # a number as text
env.step([0, 1, 2, 3]) # no tensor
env.stepp(torch.zeros(4)) # the name of a method
env.observations.mean() # the name of an attribute
env.obs.meen() # the name of a tensor's method
env.add_starts(env.save(0)) # of an emulator
print(env.errors() + 'all is well') # a list of lines
emulator = gbxnb.Emulator('game.gb', n='4') # a number as text
gbxnb.Emulator('game.gb', num_envs=4) # an option's name
emulator.run_frame() # the name of a method
emulator.run_frames('24') # a number as text
emulator.step(frames=24, release=8) # an option's name
emulator.read('0xC000') # a number as text
emulator.save(0).run_frames(1) # of an array
gbxnb.train('town/house', learning_rate=1e-3) # an option's name
gbxnb.train('town/house', num_envs='16') # a number as text
gbxnb.train('town/house', steps='1M') # a number as text
print(gbxnb.train('town/house').env_step) # the name of an attribute
gbxnb.load_policy(device=0) # the name of a device
gbxnb.load_policy('runs/house')(obs, greedily=True) # an option's name
EnvConfig(stack_k='2') # a number as text
Cartridge.load(5) # neither a file nor bytes
