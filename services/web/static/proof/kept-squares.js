// @ts-check
/** Starts the page of a game whose board has squares. */

import { buildSquares } from "../boards/squares.js";
import { openKept } from "./kept.js";

openKept(buildSquares);
