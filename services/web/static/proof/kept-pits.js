// @ts-check
/** Starts the page of a game whose board has pits. */

import { buildPits } from "../boards/pits.js";
import { openKept } from "./kept.js";

openKept(buildPits);
