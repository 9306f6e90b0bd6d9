// @ts-check
/** The shapes that modules hand to each other; nothing here runs. */

/**
 * Where the places of a board are drawn, as the first seat sees it.
 * @typedef {object} Layout
 * @property {string} kind
 * @property {string[][]} rows
 * @property {Record<string, string>} stores seat -> "left" or "right"
 * @property {Record<string, string>} owners pit -> seat
 */

/** @typedef {Record<string, number | string>} Board what is on each place */

/**
 * One visible moment of a move.
 * @typedef {{kind: string, at?: string, count?: number, to?: string}} Step
 */

/**
 * @typedef {object} OptionSpec
 * @property {string} name
 * @property {"int" | "bool" | "choice"} kind
 * @property {number | boolean | string | null} default
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {string[]} [choices]
 * @property {string} title
 * @property {string} description
 */

/**
 * @typedef {object} Game
 * @property {string} key
 * @property {string} name
 * @property {string} rules
 * @property {string[]} seats
 * @property {string} about
 * @property {string} effort
 * @property {string[]} starters
 * @property {OptionSpec[]} options
 * @property {Layout} layout
 * @property {{level: number, elo: number | null}[]} levels of computer players
 * @property {string} opening its position
 */

/** @typedef {{kind: string, level?: number, name?: string | null}} Seated */

/**
 * The clocks of a match at a time of the server; each seat has its own besides.
 * @typedef {Record<string, any> & {at: string, running: string | null,
 *   flag_at: string | null, first_move_by: string | null}} Clock
 */

/**
 * @typedef {object} Match
 * @property {string} id
 * @property {string} game
 * @property {Record<string, any>} options
 * @property {string} status
 * @property {number} version
 * @property {string} starter
 * @property {Record<string, Seated | null>} seats
 * @property {Board} board
 * @property {string | null} to_move
 * @property {string[]} legal_moves
 * @property {Layout} [layout]
 * @property {Clock | null} clock
 * @property {{kind: "draw" | "takeback", seat: string, to_version?: number} | null} offer
 * @property {{winner: string | null, reason: string} | null} outcome
 * @property {{guesser: string | null} | null} fist
 * @property {boolean} hints
 * @property {{match: string, version: number} | null} origin
 * @property {string | null} rematch_of
 */

/**
 * An event of the log, with the board after it.
 * @typedef {object} MatchEvent
 * @property {number} version
 * @property {string} type
 * @property {string} at
 * @property {string} by
 * @property {Record<string, any>} data
 * @property {string} hash
 * @property {string} position
 * @property {Board} board
 * @property {Record<string, string> | null} [owners] pit -> seat, where that changes
 * @property {string | null} to_move
 * @property {string[]} legal_moves
 * @property {Step[]} steps
 * @property {Clock | null} [clock]
 */

/**
 * A moment of an animation: the board, what a hand holds and what flies.
 * @typedef {object} Frame
 * @property {Board} board
 * @property {{at: string, count: number} | null} hand
 * @property {{from: string, to: string, count: number}[]} flights
 * @property {ReadonlyMap<string, ReadonlySet<string>>} marks
 * @property {Record<string, string> | null} owners
 * @property {number} beats how long it lasts
 */

/**
 * Everything `board.draw` needs to know.
 * @typedef {object} View
 * @property {Layout} layout
 * @property {string[]} seats
 * @property {string} bottom the seat that is drawn at the bottom
 * @property {Board} board
 * @property {string} title
 * @property {ReadonlySet<string>} [open] places that may be chosen
 * @property {Record<string, string> | null} [owners] pit -> seat, where that changes
 * @property {string} [caption] what is said of the whole board, such as its round
 * @property {ReadonlyMap<string, ReadonlySet<string>>} [marks] what the last move did
 * @property {string} [chosen] the place where the moves of *ways* begin
 * @property {Way[]} [ways]
 * @property {Frame["hand"]} [hand]
 * @property {Frame["flights"]} [flights]
 * @property {number} [beatMs] how long a beat of the animation lasts; 0: none
 * @property {boolean} [picture] a decoration: no labels, nothing to choose
 * @property {string} [theme] how the board looks: a name of boards/themes.css
 * @property {(place: string) => string} [describe] a place in words
 * @property {(place: string) => void} [onChoose]
 * @property {(move: string) => void} [onMove] one of *ways* was chosen
 */

/** @typedef {{move: string, side: "left" | "right", words: string}} Way */

/**
 * @typedef {{game: string, options: Record<string, any>, seat: string, level: number,
 *   opponent: "ai" | "invited" | "stranger" | "same-screen", starter: string,
 *   clock: Record<string, number> | null}} Choice
 */

/**
 * What is known so far of the worth of the moves of a match.
 * @typedef {object} Analysis
 * @property {string} status
 * @property {{ply: number, seat: string, move: string, value: number, loss: number,
 *   comment: string, best: {moves: string[], value: number}}[]} plies
 */

/** @typedef {{title: string, detail: string}} Notice */

export {};
