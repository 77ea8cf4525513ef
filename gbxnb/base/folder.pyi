"""A command fills a folder. What its manifest names is ours, everything else in it stays."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
from typing_extensions import Self as _Self
__all__ = ['LOCK', 'MANIFEST', 'SCHEMA', 'NEW', 'lock_folder', 'unlock_folder', 'manifest_text', 'read_manifest', 'Folder',
           'whole', 'claim_folder', 'open_folder', 'check_claim']
import io, json, os, socket, stat, sys, time
from contextlib import ExitStack, suppress
from pathlib import Path, PurePosixPath
from fastcore.basics import patch
from filelock import lock_descriptor, unlock_descriptor
from .files import (UserError, append_whole, open_in_place, patiently, read_json, read_whole,
                              sync_folder, unshare, write_all_atomic)
LOCK = '.lock'
def lock_folder(
    path:Path, # A folder
)->io.FileIO: # To be given to `unlock_folder`
    "Become the one process that writes into a folder, or raise `UserError`."
def unlock_folder(
    f:io.FileIO, # From `lock_folder`
)->None:
    "Let others write."
MANIFEST, SCHEMA = 'manifest.json', 'gbxnb-folder-1'
def manifest_text(
    kind:str, # What is in a folder
    files, # Names of our files in it
)->str:
    "The content of a manifest."
def read_manifest(
    path:Path, # A folder
)->tuple[str, set[str]]|None: # Its kind and the files of ours in it; None if it has no manifest
    "What a folder says about itself."
class Folder:
    "A folder that this process fills. Only files named in its manifest are replaced or removed."
    path:Path
    kind:str
    lock:io.FileIO|None
    files:_Any
    def __init__(self,
        path:str|Path, # Where it is
        kind:str, # What is in it: run, demo, task, film, bundle ...
        files:set[str], # Names of our files in it
        lock:io.FileIO|None=None, # That this process holds; None in a helper of the process that holds it
    )->None: ...
    def __repr__(self)->str: ...
    def __enter__(self)->_Self: ...
    def __exit__(self, *exc)->None: ...
    def close(self)->None:
        "Let other processes write here. Closing twice is no mistake."
    def adopt(self,
        inner:str, # A folder in this one, with a manifest of its own
    )->None:
        "Take the files that a folder in this one names for ours."
    def settle(self)->None:
        "Finish a swap that was begun."
    def _bring(self, staged, files)->None:
        "Put staged files into their places, and remove those that are no longer `files`."
    def check_links(self,
        name:str, # Relative to the folder
    )->None:
        "Raise `UserError` if a name leads through a link, or through a file."
    def check_free(self,
        *names:str, # Relative to the folder
    )->None:
        "Raise `UserError` for the first name that is not ours to write."
    def add(self,
        *names:str, # Relative to the folder, e.g. `world/start.npz`
    )->None:
        "Name files that will be written; those that were named before may be named again."
    def write(self,
        files:dict, # Name to content, bytes or text; all of them are replaced together
    )->None:
        "Write files of ours."
    def append(self,
        name:str, # A file of ours that is there
        data:bytes, # What comes behind its end
    )->None:
        "Add to a file of ours, wholly or not at all."
    def link(self,
        name:str, # A name that is new here
        source:str, # A file of ours
    )->None:
        "Give a file of ours a second name."
    def remove(self,
        *names:str, # Named before; one that is not there is no mistake
    )->None:
        "Remove files of ours."
    def _tidy(self, names)->None:
        "Remove the folders of files that were removed, where nothing is left in them but a lock that is free."
    def drop(self,
        *names:str, # Named before
    )->None:
        "Remove files of ours, and the folders in it that are empty then; their names are free again."
    def clear(self)->None:
        "Remove all files of ours."
    def dissolve(self,
        *above:Path, # Folders that it is in
    )->None:
        "Close it; remove all files of ours, the folder, and those above it, where nothing else is in them."
    def swap(self,
        files:dict, # Name to content, bytes or text
        *kept:str, # Names of ours that stay
    )->None:
        "Replace all files of ours by others: at any moment those of before are there, or the new ones."
NEW = '.new'
def whole(
    path:str|Path, # A folder that may be of ours
)->Path: # Itself, or a folder in it
    "Where files that belong together are read: those that a swap was about to put into their places count."
def claim_folder(
    path:str|Path, # A folder; made where it is missing
    kind:str, # What it will hold
    # Whether one of ours of this kind may be used again; or the last of its files: as long as that is missing
    replace:bool|str=False,
)->Folder:
    "Take a folder to fill it, or raise `UserError`."
def open_folder(
    path:str|Path, # A folder of ours
    *kinds:str, # What it may hold
)->Folder:
    "Go on with a folder, or raise `UserError`."
def check_claim(
    path:str|Path, # Where `claim_folder` will be called later, with `replace`
    kind:str, # What the folder will hold
)->None:
    "Raise `UserError` now if the folder could not be claimed; nothing is made or changed."
