"""A frozen dataclass says what can be chosen; a spec says what a world shows and takes."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = ['WINGS', 'Range', 'Config', 'option_names', 'build_config', 'config_from', 'take_config', 'WorldSpec', 'code_of',
           'Registry', 'wing']
import dis, importlib, re, sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from functools import partial
from itertools import count
from pathlib import Path
from reprlib import repr as brief
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Annotated, Any, Literal, TypeVar, cast, get_args, get_origin
from fastcore.basics import patch
from .files import UserError, import_place, plain_value, seed_of, sha256
@dataclass(frozen=True)
class Range:
    "The numbers that an option may be."
    least:float # The smallest
    most:float = 2**31 - 1 # The largest
    above:bool = False # Whether `least` itself is too small
    below:bool = False # Whether `most` itself is too large
    def __contains__(self, x)->bool: ...
    def wanted(self, x)->str:
        "What would do in place of a number."
def option_type(
    annotation, # Of a field or a parameter
)->tuple[Any, tuple]: # Its plain type, and its rules
    "Take an annotation apart."
def check_option(
    name:str, # As messages call it
    value, # That a person gave
    annotation, # Of its declaration
)->Any: # The value; a number of NumPy as Python's own
    "Raise `TypeError` for another type (an int may stand for a float), `ValueError` for what breaks a rule."
Whole = Annotated[int, Range(0)]
Count = Annotated[int, Range(1)]
Share = Annotated[float, Range(0, 1)]
Seed = Annotated[int, Range(0, float('inf'))] # kept as `seed_of` has it
C = TypeVar('C')
@dataclass(frozen=True)
class Config:
    "A configuration: each field is an option, checked when it is made."
    _registries = {} # Of what fields name: a thing itself may be given in place of its name. No option
    def __post_init__(self)->None: ...
    def part(self, kind:type[C])->C:
        "The options of a configuration that this one inherits from."
    def _repr_markdown_(self): ...
def option_names(
    config:type, # A dataclass
)->set[str]:
    "The names of its options."
def build_config(
    kind:type[C], # A dataclass
    values:dict, # Plain values, e.g. of a checkpoint; what is left out has its default
)->C:
    "A configuration from plain values; a `TypeError` or a `ValueError` says what does not fit."
def config_from(
    kind:type[C], # A dataclass
    given:dict, # Options by name; those of other configurations are ignored
)->C:
    "Make a configuration from what a person gave."
def take_config(
    kind:type[C], # A dataclass
    given:dict, # Options by name
)->tuple[C, dict]: # The configuration, and the options that it does not have
    "Take its own options out of those that a person gave."
@dataclass(frozen=True)
class WorldSpec:
    "What must be the same for a policy to mean the same."
    world:str # The name that the world is registered by
    obs_shape:tuple # Of one observation
    num_actions:int # Actions are 0 ... num_actions - 1
    num_envs:int # N
    frames_per_step:int = 1 # Emulated frames in a step
    facts:dict = field(default_factory=dict) # What else must be the same; JSON values
    build:dict|None = None # Which code runs it; recorded, and may differ
    def plain(self)->dict[str, Any]:
        "As JSON values."
    def difference(self,
        other, # What another world's `plain` gave; of a file, it may be anything
        ignore:tuple[str, ...]=(), # Fields that may differ
    )->str|None: # None if there is no difference
        "The first field that differs from `other`, and how."
def code_of(
    thing, # A function, a kernel, a class, or an object
)->str: # The Python that compiled it, a colon and 16 hex digits; empty for what no text can say
    "The same for the same code with the same values."
class Registry(dict):
    "Things by name."
    places:dict # of what was given by its place
    what:str
    option:str
    make:Callable
    ours:_Any
    def __init__(self,
        what:str, # What messages call one of them
        option:str, # The option that takes a name
        ours:Mapping, # What comes with this package: things, or their places `package.module:NAME`
        make:Callable, # Makes of what a person gives what is kept, or refuses it; or its type
    )->None: ...
    def entry(self, thing, **how)->Any:
        "What is kept of a thing."
    def wanted(self, name)->str:
        "What would do in place of a name."
    def _keep(self, name, entry): ...
    def register(self,
        name:str, # What options, checkpoints and logs call it
        thing=None, # Without one this is a decorator
        **how, # Of `make`
    )->Any:
        "Let a thing be chosen by a name; returns the thing."
    def add(self,
        given, # A name, a place `package.module:NAME`, which is imported, or a thing itself
        **how, # Of `make`
    )->str: # Its name; one that is not known comes back as it is
        "Register what a person gave, unless it is registered."
    def _add(self, thing, how, place=''): ...
    def find(self,
        name:str, # Of a registered thing; nothing else is imported for it, whatever a file says
    )->Any:
        "The thing of a name."
    def load(self,
        given, # As for `add`
    )->Any:
        "The thing that a person gave."
    def place_of(self,
        name:str, # Of a registered thing
    )->str: # `package.module:NAME`; empty for what comes with this package, and where no import would find it
        "What to type to get a thing of one's own."
WINGS:dict
def wing(
    name:str, # A key of `WINGS`
)->ModuleType:
    "A module above those that ask for it, imported when it is first asked for."
class LateMembers:
    "A class with members that are imported when they are first used."
    _late:dict = {} # Names of members to keys of `WINGS`
    _elsewhere:dict = {} # Names that other packages have, to what is here
    def __dir__(self)->list[str]: ...
