/** Types of seedlog.js: the schemas of openapi.yaml (a test compares them). */

export type Status = "open" | "running" | "finished" | "aborted";

/** What is on each place: seeds by pit and store, or the seat whose disc it is. */
export type Board = Record<string, number | string>;

/** One visible moment of a move. */
export interface Step {
  kind: string;
  at?: string;
  count?: number;
  to?: string;
}

/** Where places are drawn, as the first seat sees the board. */
export interface Layout {
  kind: "two-row" | "four-row" | "squares";
  rows: string[][];
  stores: Record<string, "left" | "right">;
  owners: Record<string, string>;
}

/** A parameter of a game. */
export interface Option {
  name: string;
  kind: "int" | "bool" | "choice";
  default: number | boolean | string | null;
  title: string;
  description: string;
  minimum?: number;
  maximum?: number;
  choices?: string[];
}

export interface Game {
  key: string;
  name: string;
  about: string;
  effort: string;
  rules: string;
  seats: string[];
  starters: string[];
  options: Option[];
  levels: { level: number; elo: number | null; error: number | null }[];
  layout: Layout;
  opening: string;
}

/** Who is to sit there. */
export type Player =
  | { kind: "human"; player?: string; name?: string; [newer: string]: unknown }
  | { kind: "ai"; level: number };

/** Who sits there. */
export type Seated =
  | { kind: "human"; player: string; reference: string; name: string | null }
  | { kind: "ai"; level: number };

export type Control =
  | { initial_s: number; increment_s: number }
  | { initial_s: number; delay_s: number }
  | { days_per_move: number };

/** The clocks of a match; by seat, `remaining_ms` of each. */
export type Clock = {
  control: Control;
  at: string;
  running: string | null;
  flag_at: string | null;
  first_move_by: string | null;
} & { [seat: string]: any };

/** How a match ended; without a winner it is a draw. */
export interface Outcome {
  winner: string | null;
  reason: string;
  /** For people, in the language of the client. */
  reason_text: string;
  score: Record<string, number>;
}

/** What a seat has offered and the other has to answer. */
export interface Offer {
  kind: "draw" | "takeback";
  seat: string;
  to_version?: number;
}

/** A match as lists show it. */
export interface MatchSummary {
  id: string;
  game: string;
  options: Record<string, any>;
  rules: string;
  status: Status;
  version: number;
  ply: number;
  seats: Record<string, Seated | null>;
  to_move: string | null;
  outcome: Outcome | null;
  created_at: string;
  updated_at: string;
}

/** A match with its board. */
export interface Match extends MatchSummary {
  starter: string | null;
  starter_by: "random" | "fist" | null;
  fist: { commitment: string; guesser: string | null } | null;
  origin: { match: string; version: number; hash: string } | null;
  offer: Offer | null;
  position: string | null;
  board: Board;
  owners: Record<string, string> | null;
  legal_moves: string[];
  aborted_for: "no-show" | null;
  rated: boolean;
  hints: boolean;
  rematch_of: string | null;
  clock: Clock | null;
}

/** A match that was read by itself. */
export interface ReadMatch extends Match {
  stream_url?: string;
  layout?: Layout;
}

/** A match that was opened, with the tokens of its human seats. */
export interface OpenedMatch extends Match {
  stream_url: string;
  seat_tokens: Record<string, string>;
}

export interface TakenSeat {
  seat: string;
  match: Match;
  seat_token?: string;
}

/** What lets somebody read and follow a match. */
export interface SpectatorToken {
  match: string;
  token: string;
  expires_at: string;
}

/** What lets somebody sit down, once. */
export interface Invitation {
  match: string;
  seat: string | null;
  token: string;
  expires_at: string;
}

/** Somebody looks for an opponent, or has one: then there are match and token. */
export interface Seek {
  id: string;
  status: "waiting" | "matched" | "ended";
  since: string | null;
  lasts_until: string | null;
  match: Match | null;
  seat: string | null;
  seat_token: string | null;
}

/** A match of guests who met by chance, and how many look on. */
export interface GuestMatch {
  id: string;
  game: string;
  options: Record<string, unknown>;
  ply: number;
  position: string | null;
  to_move: string | null;
  created_at: string;
  followers: number;
}

/** What somebody wants to play. */
export interface SeekWanted {
  options?: Record<string, unknown>;
  clock?: Control | null;
  rated?: boolean;
  player?: string;
  name?: string;
  rating_within?: number;
}

/** How often may be asked, how much a tenant may have, and what of it is used. */
export interface Limits {
  rates: Record<string, any>[];
  quotas: Record<string, any>[];
}

/** A move, what is best play from there, and the final margin to be expected. */
export interface AnalysisLine {
  moves: string[];
  value: number;
  exact: boolean;
  depth: number;
}

/** What a move of a match was worth, beside the best one. */
export interface JudgedPly {
  ply: number;
  seat: string;
  move: string;
  value: number;
  exact: boolean;
  loss: number;
  comment: Comment;
  best: AnalysisLine;
  nodes: number;
  time_ms: number;
}

export type Comment = "forced" | "best" | "good" | "inaccuracy" | "mistake" | "blunder";

/** A question, and what was found so far: lines of a position, plies of a match. */
export interface Analysis {
  id: string;
  kind: "position" | "match" | "hint";
  status: "waiting" | "running" | "finished" | "canceled" | "failed";
  failed_for: "worker-died" | "match-unreadable" | "error" | null;
  version: number;
  game: string;
  options: Record<string, any>;
  rules: string;
  position: string | null;
  match: string | null;
  match_version: number | null;
  seat: string | null;
  budget: { lines: number; time_ms: number; nodes: number | null };
  depth: number | null;
  nodes: number;
  time_ms: number;
  lines: AnalysisLine[];
  plies: JudgedPly[] | null;
  mistakes: Pick<JudgedPly, "ply" | "seat" | "move" | "loss" | "comment">[] | null;
  comments: Record<string, Record<Comment, number>> | null;
  created_at: string;
  ended_at: string | null;
  expires_at: string;
  stream_url: string;
}

/** What was found: a depth, a judged move, or how it ended. */
export interface FoundEvent {
  version: number;
  type: string;
  at: string;
  data: Record<string, any>;
}

/** For how long to think about a position, or how many positions to look at. */
export type Budget = { time_ms?: number; nodes?: number };

/** What has happened, as it stands in the log. */
export interface EventBody {
  version: number;
  type: string;
  at: string;
  by: string;
  data: Record<string, any>;
}

/** An event with the hash of the log up to it and, where asked for, the board. */
export interface LoggedEvent extends EventBody {
  hash: string;
  position?: string | null;
  board?: Board;
  owners?: Record<string, string> | null;
  to_move?: string | null;
  legal_moves?: string[];
  clock?: Clock | null;
  steps?: Step[];
}

/** An event in the feed of all matches of an app. */
export interface FeedEntry extends LoggedEvent {
  seq: number;
  match: string;
}

/** What a move or another act has caused. */
export interface Acted {
  match: Match;
  events: EventBody[];
  steps: Step[];
  reply?: LoggedEvent[];
}

export interface PlayedMove {
  ply: number;
  version: number;
  seat: string;
  move: string;
  at: string;
  by: string;
  position: string | null;
  steps: Step[];
}

/** What the rules say of a position. */
export interface ShownPosition {
  position: string;
  snapshot: string;
  to_move: string | null;
  legal_moves: string[];
  outcome: Outcome | null;
  digest: string;
  steps: Step[];
}

/** The verdict of the server on the log of a match. */
export interface Audit {
  ok: boolean;
  match: string;
  events: number;
  counts: Record<string, number>;
  hash: string;
  findings: Record<string, any>[];
  head: Record<string, any> | null;
}

export interface SigningKeys {
  keys: Record<string, any>[];
}

/** A URL that is told of events. */
export interface Endpoint {
  id: string;
  url: string;
  events: string[];
  status: "enabled" | "disabled";
  reason: "gone" | "failing" | "backlog" | "requested" | null;
  created_at: string;
  disabled_at: string | null;
  delivered_at: string | null;
  failing_since: string | null;
}

/** A new endpoint; its secret is shown here only. */
export interface MadeEndpoint extends Endpoint {
  secret: string;
}

export interface MadeSecret {
  endpoint: string;
  secret: string;
  previous_valid_until: string;
}

/** One event to one endpoint, and its attempts. */
export interface Delivery {
  id: string;
  type: string;
  match: string | null;
  version: number | null;
  sequence: number | null;
  status: "waiting" | "delivered" | "failed" | "canceled";
  created_at: string;
  next_attempt_at: string | null;
  attempts: Record<string, any>[];
}

/** An API key, as it is listed: without the key itself. */
export interface ApiKey {
  id: string;
  label: string;
  role: "read" | "play" | "admin";
  sandbox: boolean;
  status: "valid" | "expired" | "revoked";
  created_at: string;
  expires_at: string | null;
  last_used_at: string | null;
}

/** A new key. Shown here only. */
export interface MadeKey extends ApiKey {
  key: string;
}

export interface RotatedKey extends MadeKey {
  previous: string;
  previous_valid_until: string;
}

export type ClockClass =
  | "bullet" | "blitz" | "rapid" | "classical" | "correspondence" | "untimed";

/** How strong somebody is, and how sure that is. */
export interface StandingBody {
  rating: number;
  deviation: number;
  volatility: number;
  at_least: number;
  provisional: boolean;
  won: number;
  drawn: number;
  lost: number;
  updated_at: string;
}

/** How a player stands in a game and clock class. */
export interface Rating extends StandingBody {
  game: string;
  clock_class: ClockClass;
}

/** A place of a leaderboard. */
export interface Ranked extends StandingBody {
  rank: number;
  player: Seated;
}

/** A match of two players; 1 was won, 0.5 drawn, 0 lost. */
export interface MetGame {
  match: string;
  game: string;
  clock_class: ClockClass;
  rated: boolean;
  score: 0 | 0.5 | 1;
  ended_at: string;
}

/** A match that counted, and what it changed. */
export interface RatedGame extends MetGame {
  opponent: Seated;
  rating: number;
  deviation: number;
  change: number;
}

/** What a webhook says; `data` is that of its type. */
export interface WebhookBody {
  format: string;
  type: string;
  timestamp: string;
  data: Record<string, any>;
}

/** An export that holds: what it is of, and whose word that is. */
export interface VerifiedExport {
  match: string;
  events: EventBody[];
  hash: string;
  exportedAt: string;
  key: string;
  isKeyTrusted: boolean;
}

export interface Options {
  /** How long a request is sent again before it is `Unreachable`; 60, at most 3000. */
  retryForS?: number;
  /** How long one answer may take; 15. */
  answerWithinS?: number;
  /** That of the streams; after two of them a silent one is left. 15. */
  heartbeatS?: number;
  /** What refusals and names are told in, "tr"; without it as the browser asks. */
  language?: string;
  /** Where the streams are; without it the API is asked. */
  streamUrl?: string;
  /** Is told when the server is lost, and when it is there again. */
  onConnection?: (lost: boolean) => void;
}

export interface RequestOptions {
  /** An object goes as JSON, a text as it is. */
  body?: object | string;
  query?: Record<string, string | number | boolean | null | undefined>;
  headers?: Record<string, string>;
  /** A key of your own; the same request with it is carried out once. */
  idempotencyKey?: string;
  retryForS?: number;
  /** How long the server was asked to wait before it answers. */
  waitS?: number;
  signal?: AbortSignal;
}

export interface PlayOptions extends Pick<
  RequestOptions, "idempotencyKey" | "retryForS" | "signal"
> {
  /** The version that was seen. */
  version: number;
  /** Needed with an API key. */
  seat?: string;
  /** Seconds that the answer may wait for the reply of an AI, 10 at most. */
  waitForReplyS?: number;
}

/** The server has refused, and says why (RFC 9457). */
export class Problem extends Error {
  constructor(status: number, facts: Record<string, any>, retryAfterS?: number | null);
  status: number;
  /** The last part of the type's address, such as `illegal-move`. */
  type: string;
  /** The whole problem: `legal_moves`, `version`, `errors`, ... as its type has them. */
  facts: Record<string, any>;
  retryAfterS: number | null;
}

/** No answer came: what became of a request that writes is not known. */
export class Unreachable extends Error {
  constructor(why: string, idempotencyKey?: string);
  /** Send the same request with it again, and it happens once. */
  idempotencyKey: string;
}

/** What was waited for did not happen in time. */
export class TimedOut extends Error {}

/** The server cannot tell a match any further, and says why. */
export class FollowingEnded extends Error {}

/** A webhook that was not signed by this secret, or too long ago. */
export class InvalidSignature extends Error {}

/** An export that is not as it was signed. */
export class InvalidExport extends Error {
  constructor(place: string, reason: string);
  /** `header`, `head`, `file` or `event 17`. */
  place: string;
  reason: string;
}

/**
 * An app with its API key, or a player with the token of a seat.
 *
 * Every method throws `Problem` where the server refuses, and `Unreachable` where no
 * answer came for `retryForS`.
 */
export class Seedlog {
  constructor(url: string, token?: string, options?: Options);
  /** Return a client with another token. */
  holding(token: string): Seedlog;
  readonly token: string;
  /** Send any request of the contract, with retries; return what it answers. */
  request(method: string, path: string, options?: RequestOptions): Promise<any>;

  games(): Promise<Game[]>;
  game(key: string): Promise<Game>;
  /** What the rules say, without a match. */
  position(
    game: string,
    asked?: {
      options?: Record<string, any>;
      position?: string;
      starter?: string;
      moves?: string[];
      move?: string;
    },
  ): Promise<ShownPosition>;

  /** What applies to this key or token, and how much of it is used. */
  limits(): Promise<Limits>;

  /** Open a match; seats that are left out stay free. */
  openMatch(
    game: string,
    wanted?: {
      seats?: Record<string, Player>;
      options?: Record<string, any>;
      starter?: string;
      position?: string;
      clock?: Control | null;
      rated?: boolean;
      hints?: boolean;
    },
    options?: Pick<RequestOptions, "idempotencyKey" | "retryForS" | "signal">,
  ): Promise<OpenedMatch>;
  /** Show a match, now or as it was at a version. */
  match(
    matchId: string,
    wanted?: { version?: number; layout?: boolean },
    options?: Pick<RequestOptions, "retryForS" | "signal">,
  ): Promise<ReadMatch>;
  /** The matches of the app, the newest first, page by page. */
  matches(filters?: {
    game?: string;
    status?: Status;
    player?: string;
    since?: string;
  }): AsyncGenerator<MatchSummary, void>;
  /** Those of up to 100 matches that there are, in that order. */
  matchesById(ids: string[]): Promise<ReadMatch[]>;
  /** Seat a human or an AI, on the first free seat or the one that is named. */
  sit(
    matchId: string,
    who?: { kind?: "human" | "ai"; seat?: string; player?: string; name?: string; level?: number },
  ): Promise<TakenSeat>;
  renewSeatToken(matchId: string, seat: string): Promise<TakenSeat>;
  /** A token with which anybody may read and follow a match. */
  issueSpectatorToken(
    matchId: string,
    wanted?: { expires_in_s?: number },
  ): Promise<SpectatorToken>;
  /** Let nobody look on any more who was let in until now. */
  revokeSpectatorTokens(matchId: string): Promise<null>;
  /** Play a move on the version that was seen. */
  play(matchId: string, move: string, options: PlayOptions): Promise<Acted>;
  resign(
    matchId: string,
    seat?: string,
    options?: Pick<RequestOptions, "idempotencyKey" | "retryForS" | "signal">,
  ): Promise<Acted>;
  offerDraw(matchId: string, seat?: string): Promise<Acted>;
  answerDraw(matchId: string, accept: boolean, seat?: string): Promise<Acted>;
  requestTakeback(matchId: string, toVersion: number, seat?: string): Promise<Acted>;
  answerTakeback(matchId: string, accept: boolean, seat?: string): Promise<Acted>;
  guessFist(matchId: string, fist: "left" | "right", seat?: string): Promise<Acted>;
  /** Call a match off before its first move. */
  callOff(matchId: string): Promise<Acted>;
  /** Open a match from a version of another. */
  fork(
    matchId: string,
    wanted?: {
      version?: number;
      seats?: Record<string, Player>;
      clock?: Control | null;
    },
  ): Promise<OpenedMatch>;

  /** The moves that stand, page by page. */
  moves(matchId: string): AsyncGenerator<PlayedMove, void>;
  /** The events of a match after a version; with `position` the boards. */
  events(
    matchId: string,
    wanted?: { after?: number; position?: boolean },
  ): AsyncGenerator<LoggedEvent, void>;
  /** The events of all matches of the app after a `seq`, up to now. */
  feed(wanted?: {
    cursor?: number;
    types?: string[];
  }): AsyncGenerator<FeedEntry, void>;
  /**
   * Every event of a match once, in order, as it comes, until the last or the signal.
   * A lost or silent stream is taken up where it was.
   */
  follow(
    matchId: string,
    options?: { after?: number; signal?: AbortSignal },
  ): AsyncGenerator<LoggedEvent, void>;
  /** Every event of all matches of the app once, after a `seq` or from now on. */
  followAll(options?: {
    cursor?: number | null;
    signal?: AbortSignal;
  }): AsyncGenerator<FeedEntry, void>;
  /** The match once a seat is to move, or it is over; `TimedOut` if neither comes. */
  waitForTurn(
    matchId: string,
    seat: string,
    options?: { withinS?: number },
  ): Promise<ReadMatch>;
  waitForEnd(matchId: string, options?: { withinS?: number }): Promise<ReadMatch>;

  /** Let the server verify the log of a match. */
  audit(matchId: string): Promise<Audit>;
  /** Take a match out as a file that proves itself; see `verifyExport`. */
  exportMatch(matchId: string): Promise<string>;
  importMatch(text: string): Promise<OpenedMatch>;
  signingKeys(): Promise<SigningKeys>;

  /** Players by the app's own ids, or by their references. */
  readonly players: {
    read(player: string): Promise<Seated>;
    /** Erase name and id everywhere. */
    erase(player: string): Promise<null>;
    ratings(player: string): Promise<Rating[]>;
    /** The rated games of a player, the last first. */
    ratedGames(
      player: string,
      game: string,
      clockClass?: ClockClass,
    ): AsyncGenerator<RatedGame, void>;
    /** How two players fared against each other, and their last matches. */
    score(
      player: string,
      opponent: string,
    ): Promise<{
      player: Seated;
      opponent: Seated;
      score: { game: string; won: number; drawn: number; lost: number }[];
      data: MetGame[];
      next_cursor: string | null;
    }>;
    /** The players of a game, whoever is the strongest for sure first. */
    leaderboard(game: string, clockClass?: ClockClass): AsyncGenerator<Ranked, void>;
  };

  /** Finding somebody to play with: by chance, by invitation, or once more. */
  readonly lobby: {
    /** Look until there is an opponent; null if none came, or the player sought anew. */
    findOpponent(
      game: string,
      wanted?: SeekWanted,
      options?: { withinS?: number; signal?: AbortSignal },
    ): Promise<Seek | null>;
    /** Look, and wait for up to `wait_s`; ask on within 5 s (`goOn`). */
    seek(
      game: string,
      wanted?: SeekWanted & { wait_s?: number },
      options?: RequestOptions,
    ): Promise<Seek>;
    goOn(id: string, waitS?: number, options?: RequestOptions): Promise<Seek>;
    /** Look no longer; the seek if it had found somebody just before. */
    end(id: string): Promise<Seek | null>;
    /** What lets somebody sit down, once; at that seat or any. */
    invite(
      matchId: string,
      wanted?: { seat?: string; player?: string; expires_in_s?: number },
    ): Promise<Invitation>;
    /** Sit down by the invitation that this client holds. */
    accept(matchId: string, who?: { name?: string }): Promise<TakenSeat>;
    /** Play again, seats changed: an app seats all, a seat itself. */
    rematch(matchId: string): Promise<OpenedMatch>;
  };

  /** What moves are worth, thought about when no match waits for a reply. */
  readonly analyses: {
    /** What the best moves in a position are worth. */
    ofPosition(
      game: string,
      asked?: {
        options?: Record<string, any>;
        position?: string;
        starter?: string;
        moves?: string[];
        lines?: number;
      } & Budget,
    ): Promise<Analysis>;
    /** What each move of a match was worth; the budget is that of each. */
    ofMatch(matchId: string, budget?: Budget): Promise<Analysis>;
    /** What to play, for the seat to move; an app names it. */
    hint(
      matchId: string,
      asked?: { seat?: string; lines?: number } & Budget,
    ): Promise<Analysis>;
    read(id: string, options?: RequestOptions): Promise<Analysis>;
    /** Think about it no more. */
    cancel(id: string): Promise<null>;
    /** All that is found, once and in order, as it comes, until the end or the signal. */
    follow(
      id: string,
      options?: { after?: number; signal?: AbortSignal },
    ): AsyncGenerator<FoundEvent, void>;
    /** The analysis once it has ended; `TimedOut` if it has not in time. */
    wait(
      id: string,
      options?: { withinS?: number; signal?: AbortSignal },
    ): Promise<Analysis>;
  };

  /** What an admin's key can do with webhook endpoints. */
  readonly webhooks: {
    /** Keep the `secret` of the answer. */
    create(url: string, events: string[]): Promise<MadeEndpoint>;
    list(): Promise<Endpoint[]>;
    read(id: string): Promise<Endpoint>;
    change(
      id: string,
      changes: { url?: string; events?: string[]; status?: "enabled" | "disabled" },
    ): Promise<Endpoint>;
    delete(id: string): Promise<null>;
    rotateSecret(id: string): Promise<MadeSecret>;
    ping(id: string): Promise<Delivery>;
    deliveries(id: string): AsyncGenerator<Delivery, void>;
    deliverAgain(id: string, delivery: string): Promise<Delivery>;
  };

  /** What an admin's key can do with API keys. */
  readonly keys: {
    create(wanted: {
      label?: string;
      role?: "read" | "play" | "admin";
      sandbox?: boolean;
      expires_in_s?: number;
    }): Promise<MadeKey>;
    list(): Promise<ApiKey[]>;
    rotate(id: string, wanted?: { overlap_s?: number }): Promise<RotatedKey>;
    revoke(id: string): Promise<null>;
  };
}

/** A key for a request that writes; where there is Web Crypto, nobody guesses it. */
export function newKey(): string;

/**
 * Return what a message says that was signed by a secret, minutes ago at most.
 *
 * `body` is what came, byte by byte. Throws `InvalidSignature`.
 */
export function verifyWebhook(
  secret: string,
  headers: Headers | Record<string, string | string[] | undefined>,
  body: string | Uint8Array<ArrayBuffer>,
  options?: { toleranceS?: number; nowS?: number },
): Promise<WebhookBody>;

/**
 * Return what an export holds, if it is as it was signed: its head by a key, every byte
 * by the head, every event by the chain. Throws `InvalidExport`.
 */
export function verifyExport(
  text: string,
  options?: { trusted?: SigningKeys },
): Promise<VerifiedExport>;
