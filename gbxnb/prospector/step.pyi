"""What a tick does to N ships, and where they begin."""
# Made by `make export` from the module beside it.
from typing import Any as _Any
__all__ = []
import numpy as np
import warp as wp
from .act import act, arrive, cargo_value, expose, hold, meet_pirates, set_node
from .maths import (EDGE_SLOT, EXACT, F, GOODS_SLOT, NODE_DAMAGE, NODE_PIRATES, NODE_SLOT,
    PRICE_SLOT, log1p, wp_exp, wp_log1p, wp_ship_key, wp_sin, wp_unit)
from .rows import (NONE, Chance, Col, Mark, Place, Rows, bits, chance_of, get, get6, get8,
    normal, normals, put, put6, put8, row, row8, span, uniform, vec6, wp_total)
from .rules import (ACTIONS, ALERT, AMPLITUDE, CARGO, CLUSTER, COOLING, CREDITS_CAP,
    CREDIT_SCALE, DEEP, EDGE_FUEL, EDGE_NOISE, EDGE_TIME, END, FEWEST_NODES, FIRST_GUESS, FUEL, GOODS,
    HAZARD, HAZARD_MORE, HAZARD_SHARE, HEAT, HOLD, HULL, NEIGHBORS, NODES, NODE_HAZARD, NODE_PIRATE,
    NODE_SPREAD, OBS, OVERHEAT_DAMAGE, PERIOD, PIRATE_MORE, PRICE_BASE, PRICE_MAX, PRICE_MIN, PRICE_NOISE,
    R_BONUS, R_CARGO, R_DAMAGE, R_DESTROYED, R_FUEL, R_HEAT, R_INVALID, R_PIRATES, R_SCAN, R_STRANDED,
    R_TIME, R_WEAR, SAFE_HEAT, SALES_DECAY, SALES_PRESSURE, STATION, STOCK, STOCK_DECAY, STOCK_PRESSURE,
    SUPPLIES, SUPPLY_CAP, TERMS, TOOL, WIDE)
from .tick import (PRICE_SEEN, PROFIT_TERMS, P_DAMAGE, P_GOODS, P_TIME, SEEN_MARKET,
    STOCKS_SEEN, STOCK_SEEN)
BASE:_Any
LOWEST:_Any
HIGHEST:_Any
SPREAD:_Any
BASE_PART:_Any
show_stock: _Any = None
show_ship: _Any = None
vec5:_Any
vec11:_Any
REWARD_TERMS:dict
NATIVE:_Any
PROFIT:_Any
CREDITS:_Any
class Outcomes(_Any): ...
class History(_Any): ...
step_ships: _Any = None
vec32i:_Any
begin_episodes: _Any = None
