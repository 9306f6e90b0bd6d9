// @ts-check
/**
 * Seedlog: a client of the API for browsers and Node (18 or later), without dependencies.
 *
 * Whatever writes has an idempotency key, made once: what gets no answer is sent again
 * with the same key, and happens once. Streams that are lost are taken up where they were.
 * The types are in seedlog.d.ts.
 */

/** @typedef {import("./seedlog.d.ts").Options} Options */
/** @typedef {import("./seedlog.d.ts").RequestOptions} RequestOptions */
/** @typedef {import("./seedlog.d.ts").SigningKeys} SigningKeys */
/** @typedef {Record<string, any>} Json */
/** @typedef {{entries: Json[], isLast: boolean}} Page */

/**
 * What is followed: where its stream is, its pages, and the number of an entry.
 * @typedef {object} Followed
 * @property {() => Promise<string>} streamUrl
 * @property {(after: number) => Promise<Page>} read
 * @property {"version" | "seq"} number
 */

const RETRIED = new Set([429, 502, 503, 504]);
const OVER = new Set(["finished", "aborted"]);
const NDJSON = "application/x-ndjson";
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 8000];
const LONGEST_RETRY_AFTER_S = 30; // whoever is told to come back later is told so
const LONGEST_RETRY_FOR_S = 3000; // the server remembers a key for an hour
const MOST_SEEK_WAIT_S = 25;
const [POLL_MS, LONGEST_POLL_MS, HIDDEN_POLL_MS] = [150, 1200, 6000];
const [STREAM_AGAIN_MS, STREAM_LATER_MS] = [1000, 30_000];

/** The server has refused, and says why (RFC 9457). */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {Json} facts
   * @param {number | null} retryAfterS
   */
  constructor(status, facts, retryAfterS = null) {
    super(facts.detail ?? facts.title ?? `status ${status}`);
    this.name = "Problem";
    this.status = status;
    this.facts = facts;
    this.type = String(facts.type ?? "").split("/").pop() ?? "";
    this.retryAfterS = retryAfterS;
  }
}

/** No answer came: what became of a request that writes is not known. */
export class Unreachable extends Error {
  /** @param {string} why @param {string} idempotencyKey to send it again with */
  constructor(why, idempotencyKey = "") {
    super(why);
    this.name = "Unreachable";
    this.idempotencyKey = idempotencyKey;
  }
}

/** What was waited for did not happen in time. */
export class TimedOut extends Error {
  name = "TimedOut";
}

/** The server cannot tell a match any further, and says why. */
export class FollowingEnded extends Error {
  name = "FollowingEnded";
}

/** A webhook that was not signed by this secret, or too long ago. */
export class InvalidSignature extends Error {
  name = "InvalidSignature";
}

/** An export that is not as it was signed. */
export class InvalidExport extends Error {
  /** @param {string} place `header`, `head` or `event 17` @param {string} reason */
  constructor(place, reason) {
    super(`${place}: ${reason}`);
    this.name = "InvalidExport";
    this.place = place;
    this.reason = reason;
  }
}

/** An app with its API key, or a player with the token of a seat. */
export class Seedlog {
  #url;
  #token;
  /** @type {Required<Omit<Options, "streamUrl" | "onConnection">>} */
  #options;
  /** @type {(lost: boolean) => void} */
  #onConnection;
  /** What all who hold tokens here share. */
  #shared;

  /** @param {string} url @param {string} [token] @param {Options} [options] */
  constructor(url, token = "", options = {}) {
    const { retryForS = 60, answerWithinS = 15, heartbeatS = 15, language = "" } = options;
    if (!(retryForS >= 0 && retryForS <= LONGEST_RETRY_FOR_S)) {
      throw new RangeError(`retryForS has to be 0 to ${LONGEST_RETRY_FOR_S}`);
    }
    this.#url = url.replace(/\/+$/, "");
    this.#token = token;
    this.#options = { retryForS, answerWithinS, heartbeatS, language };
    this.#onConnection = options.onConnection ?? (() => {});
    this.#shared = {
      streamBase: options.streamUrl ?? "",
      /** @type {Set<() => void>} */
      waiting: new Set(), // those who wait for the log to go on
    };
  }

  /** Return a client with another token. @param {string} token */
  holding(token) {
    const other = new Seedlog(this.#url, token, {
      ...this.#options,
      onConnection: this.#onConnection,
    });
    other.#shared = this.#shared;
    return other;
  }

  get token() {
    return this.#token;
  }

  /**
   * Send any request of the contract, with retries; return what it answers.
   * @param {string} method
   * @param {string} path
   * @param {RequestOptions} [options]
   * @returns {Promise<any>}
   */
  async request(method, path, options = {}) {
    const { retryForS = this.#options.retryForS, signal } = options;
    const key = options.idempotencyKey ?? (method === "POST" ? newKey() : "");
    const deadline = Date.now() + retryForS * 1000;
    let mayBeDone = false;
    let wasLost = false;
    for (let attempt = 1; ; attempt += 1) {
      /** @type {Problem | Unreachable} */
      let refused;
      try {
        const body = await this.#attempt(method, path, key, options);
        if (wasLost) this.#onConnection(false);
        if (method !== "GET") for (const wake of this.#shared.waiting) wake();
        return body;
      } catch (error) {
        if (!(error instanceof Problem || error instanceof Unreachable)) throw error;
        refused = error;
      }
      const isProblem = refused instanceof Problem;
      const status = isProblem ? /** @type {Problem} */ (refused).status : 0;
      // An attempt whose answer was lost has deleted what is not there any more.
      const isGone = method === "DELETE" && mayBeDone && status === 404;
      const isFinal = isProblem && !RETRIED.has(status);
      if (isFinal && wasLost) this.#onConnection(false);
      if (isGone) return null;
      if (isFinal) throw refused;
      mayBeDone ||= status !== 429;
      const pauseMs = pauseBefore(attempt, isProblem ? refused : null);
      if (Date.now() + pauseMs > deadline) throw refused;
      if (status !== 429) {
        wasLost = true;
        this.#onConnection(true);
      }
      await pause(pauseMs, signal);
      signal?.throwIfAborted();
    }
  }

  // games

  async games() {
    return (await this.request("GET", "/v1/games")).data;
  }

  /** @param {string} key */
  game(key) {
    return this.request("GET", `/v1/games/${part(key)}`);
  }

  /** What the rules say, without a match. @param {string} game @param {Json} [asked] */
  position(game, asked = {}) {
    return this.request("POST", "/v1/positions", { body: { game, ...asked } });
  }

  limits() {
    return this.request("GET", "/v1/limits");
  }

  // matches

  /** @param {string} game @param {Json} [wanted] @param {RequestOptions} [options] */
  openMatch(game, wanted = {}, options = {}) {
    const body = { game, ...wanted };
    return this.request("POST", "/v1/matches", { ...options, body });
  }

  /** @param {string} matchId @param {{version?: number, layout?: boolean}} [wanted] */
  match(matchId, { version, layout = false } = {}, options = {}) {
    const query = { version, include: layout ? "layout" : undefined };
    return this.request("GET", pathOf(matchId), { ...options, query });
  }

  /** @param {Json} [filters] */
  matches(filters = {}) {
    return this.#pages("/v1/matches", { limit: 200, ...filters });
  }

  /** @param {string[]} ids */
  async matchesById(ids) {
    const query = { ids: ids.join(",") };
    return (await this.request("GET", "/v1/matches", { query })).data;
  }

  /** @param {string} matchId @param {Json} [who] */
  sit(matchId, who = {}) {
    const body = { kind: "human", ...who };
    return this.request("POST", pathOf(matchId, "players"), { body });
  }

  /** @param {string} matchId @param {string} seat */
  renewSeatToken(matchId, seat) {
    const path = pathOf(matchId, `players/${part(seat)}/token`);
    return this.request("POST", path, { body: {} });
  }

  /** @param {string} matchId @param {Json} [wanted] */
  issueSpectatorToken(matchId, wanted = {}) {
    const path = pathOf(matchId, "spectator-tokens");
    return this.request("POST", path, { body: wanted });
  }

  /** @param {string} matchId */
  revokeSpectatorTokens(matchId) {
    return this.request("DELETE", pathOf(matchId, "spectator-tokens"));
  }

  /**
   * Play a move on the version that was seen; an app names the seat.
   * @param {string} matchId
   * @param {string} move
   * @param {import("./seedlog.d.ts").PlayOptions} options
   */
  play(matchId, move, { version, seat, waitForReplyS = 0, ...options }) {
    /** @type {Json} */
    const body = { move };
    if (seat !== undefined) body.seat = seat;
    if (waitForReplyS) body.wait_for_reply_s = waitForReplyS;
    return this.request("POST", pathOf(matchId, "moves"), {
      ...options,
      body,
      headers: { "If-Match": `"${version}"` },
      waitS: waitForReplyS,
    });
  }

  /** @param {string} matchId @param {string} [seat] @param {RequestOptions} [options] */
  resign(matchId, seat, options) {
    return this.#act(matchId, "resignation", { seat }, options);
  }

  /** @param {string} matchId @param {string} [seat] */
  offerDraw(matchId, seat) {
    return this.#act(matchId, "draw-offers", { seat });
  }

  /** @param {string} matchId @param {boolean} accept @param {string} [seat] */
  answerDraw(matchId, accept, seat) {
    return this.#act(matchId, "draw-offers/answer", { accept, seat });
  }

  /** @param {string} matchId @param {number} toVersion @param {string} [seat] */
  requestTakeback(matchId, toVersion, seat) {
    return this.#act(matchId, "takebacks", { to_version: toVersion, seat });
  }

  /** @param {string} matchId @param {boolean} accept @param {string} [seat] */
  answerTakeback(matchId, accept, seat) {
    return this.#act(matchId, "takebacks/answer", { accept, seat });
  }

  /** @param {string} matchId @param {"left" | "right"} fist @param {string} [seat] */
  guessFist(matchId, fist, seat) {
    return this.#act(matchId, "guess", { fist, seat });
  }

  /** Call a match off before its first move. @param {string} matchId */
  callOff(matchId) {
    return this.#act(matchId, "cancellation", {});
  }

  /** @param {string} matchId @param {Json} [wanted] */
  fork(matchId, wanted = {}) {
    return this.request("POST", pathOf(matchId, "forks"), { body: wanted });
  }

  // the log

  /** @param {string} matchId */
  moves(matchId) {
    return this.#pages(pathOf(matchId, "moves"), { limit: 1000 });
  }

  /** @param {string} matchId @param {{after?: number, position?: boolean}} [wanted] */
  events(matchId, { after = 0, position = false } = {}) {
    const include = position ? "position" : undefined;
    const query = { after, include, limit: 1000 };
    return this.#pages(pathOf(matchId, "events"), query, "after");
  }

  /** @param {{cursor?: number, types?: string[]}} [wanted] */
  feed({ cursor = 0, types = [] } = {}) {
    const type = types.join(",") || undefined;
    return this.#pages("/v1/events", { cursor, type, limit: 1000 });
  }

  /**
   * Every event of a match once, in order, as it comes, until the last or the signal.
   * @param {string} matchId
   * @param {{after?: number, signal?: AbortSignal}} [options]
   */
  follow(matchId, { after = 0, signal } = {}) {
    const once = { retryForS: 0, signal };
    /** @type {Followed} */
    const followed = {
      number: "version",
      streamUrl: () =>
        this.#where(pathOf(matchId, "stream"), async () => {
          const query = { fields: "stream_url" };
          const options = { ...once, query };
          return (await this.request("GET", pathOf(matchId), options)).stream_url;
        }),
      read: async (from) => {
        const path = pathOf(matchId);
        const asked = { ...once, query: { fields: "status" } };
        const { status } = await this.request("GET", path, asked);
        const query = { after: from, include: "position" };
        const options = { ...once, query };
        const page = await this.request("GET", pathOf(matchId, "events"), options);
        const isLast = OVER.has(status) && page.next_cursor === null;
        return { entries: page.data, isLast };
      },
    };
    return this.#follow(followed, after, signal);
  }

  /**
   * Every event of all matches of the app once, after a `seq` or from now on.
   * @param {{cursor?: number | null, signal?: AbortSignal}} [options]
   */
  followAll({ cursor = null, signal } = {}) {
    const once = { retryForS: 0, signal };
    /** @type {Followed} */
    const followed = {
      number: "seq",
      streamUrl: () => this.#where("/v1/stream", () => this.#findStream(once)),
      read: async (from) => {
        const options = { ...once, query: { cursor: from } };
        const page = await this.request("GET", "/v1/events", options);
        return { entries: page.data, isLast: false };
      },
    };
    return this.#follow(followed, cursor, signal);
  }

  /**
   * The match once a seat is to move, or it is over.
   * @param {string} matchId
   * @param {string} seat
   * @param {{withinS?: number}} [options]
   */
  async waitForTurn(matchId, seat, { withinS = 60 } = {}) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), withinS * 1000);
    try {
      for (;;) {
        const match = await this.match(matchId);
        if (OVER.has(match.status) || match.to_move === seat) return match;
        if (late.signal.aborted) throw new TimedOut(`${matchId}: not in ${withinS} s`);
        const options = { after: match.version, signal: late.signal };
        for await (const event of this.follow(matchId, options)) {
          if (event.to_move === seat) break;
        }
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {string} matchId @param {{withinS?: number}} [options] */
  waitForEnd(matchId, { withinS = 600 } = {}) {
    return this.waitForTurn(matchId, "", { withinS });
  }

  // proof

  /** @param {string} matchId */
  audit(matchId) {
    return this.request("GET", pathOf(matchId, "audit"));
  }

  /** @param {string} matchId */
  exportMatch(matchId) {
    return this.request("GET", pathOf(matchId, "export"));
  }

  /** @param {string} text */
  importMatch(text) {
    const headers = { "Content-Type": NDJSON };
    return this.request("POST", "/v1/imports", { body: text, headers });
  }

  signingKeys() {
    return this.request("GET", "/.well-known/seedlog-keys.json");
  }

  get players() {
    const of = (/** @type {string} */ player, what = "") =>
      `/v1/players/${part(player)}${what}`;
    return {
      /** @param {string} player */
      read: (player) => this.request("GET", of(player)),
      /** @param {string} player */
      erase: (player) => this.request("DELETE", of(player)),
      /** @param {string} player */
      ratings: async (player) =>
        (await this.request("GET", of(player, "/ratings"))).data,
      /** @param {string} player @param {string} game @param {string} [clockClass] */
      ratedGames: (player, game, clockClass = "untimed") => {
        const path = of(player, `/ratings/${part(game)}/${part(clockClass)}`);
        return this.#pages(path, { limit: 200 });
      },
      /** @param {string} player @param {string} opponent */
      score: (player, opponent) =>
        this.request("GET", of(player, `/opponents/${part(opponent)}`)),
      /** @param {string} game @param {string} [clockClass] */
      leaderboard: (game, clockClass = "untimed") => {
        const query = { clock_class: clockClass, limit: 200 };
        return this.#pages(`/v1/leaderboards/${part(game)}`, query);
      },
    };
  }

  get lobby() {
    const of = (/** @type {string} */ id) => `/v1/seeks/${part(id)}`;
    /** @param {string} id @param {number} [waitS] @param {RequestOptions} [options] */
    const goOn = (id, waitS = 0, options = {}) =>
      this.request("GET", of(id), { ...options, query: { wait_s: waitS }, waitS });
    /** @param {string} game @param {Json} [wanted] @param {RequestOptions} [options] */
    const seek = (game, wanted = {}, options = {}) => {
      const body = { game, ...wanted };
      const waitS = wanted.wait_s ?? 0;
      return this.request("POST", "/v1/seeks", { ...options, body, waitS });
    };
    /** @param {string} id */
    const end = async (id) => {
      try {
        await this.request("DELETE", of(id));
      } catch (error) {
        if (!(error instanceof Problem) || error.type !== "already-matched") throw error;
        return goOn(id);
      }
      return null;
    };
    /** @param {string} game @param {Json} [wanted] @param {Json} [options] */
    const findOpponent = async (game, wanted = {}, { withinS = 120, signal } = {}) => {
      const until = Date.now() + withinS * 1000;
      const left = () =>
        Math.max(Math.min(Math.floor((until - Date.now()) / 1000), MOST_SEEK_WAIT_S), 0);
      let found = await seek(game, { ...wanted, wait_s: left() }, { signal });
      try {
        while (found.status === "waiting" && Date.now() < until) {
          const asked = Date.now();
          found = await goOn(found.id, left(), { signal });
          const isBusy = found.status === "waiting" && Date.now() - asked < 1000;
          if (isBusy) await pause(1000, signal); // so many wait already
        }
      } catch (error) {
        if (error instanceof Problem && error.type === "no-such-seek") return null;
        await end(found.id).catch(() => null); // what went wrong first is told
        throw error;
      }
      if (found.status === "waiting") return end(found.id);
      return found.status === "matched" ? found : null;
    };
    return {
      findOpponent,
      seek,
      goOn,
      end,
      /** @param {string} matchId @param {Json} [wanted] */
      invite: (matchId, wanted = {}) =>
        this.request("POST", pathOf(matchId, "invitations"), { body: wanted }),
      /** @param {string} matchId @param {Json} [who] */
      accept: (matchId, who = {}) =>
        this.request("POST", pathOf(matchId, "invitations/acceptance"), { body: who }),
      /** @param {string} matchId */
      rematch: (matchId) =>
        this.request("POST", pathOf(matchId, "rematches"), { body: {} }),
    };
  }

  get analyses() {
    const of = (/** @type {string} */ id, what = "") => `/v1/analyses/${part(id)}${what}`;
    /** @param {string} id @param {RequestOptions} [options] */
    const read = (id, options = {}) => this.request("GET", of(id), options);
    return {
      /** @param {string} game @param {Json} [asked] */
      ofPosition: (game, asked = {}) =>
        this.request("POST", "/v1/positions/analyses", { body: { game, ...asked } }),
      /** @param {string} matchId @param {Json} [budget] */
      ofMatch: (matchId, budget = {}) =>
        this.request("POST", pathOf(matchId, "analyses"), { body: budget }),
      /** @param {string} matchId @param {Json} [asked] */
      hint: (matchId, asked = {}) =>
        this.request("POST", pathOf(matchId, "hints"), { body: asked }),
      read,
      /** @param {string} id */
      cancel: (id) => this.request("DELETE", of(id)),
      /** @param {string} id @param {{after?: number, signal?: AbortSignal}} [options] */
      follow: (id, { after = 0, signal } = {}) => {
        const once = { retryForS: 0, signal };
        /** @type {Followed} */
        const followed = {
          number: "version",
          streamUrl: () =>
            this.#where(of(id, "/stream"), async () => (await read(id, once)).stream_url),
          read: async (from) => {
            const hasEnded = (await read(id, once)).ended_at !== null;
            const options = { ...once, query: { after: from } };
            const page = await this.request("GET", of(id, "/events"), options);
            const isLast = hasEnded && page.next_cursor === null;
            return { entries: page.data, isLast };
          },
        };
        return this.#follow(followed, after, signal);
      },
      /** @param {string} id @param {{withinS?: number, signal?: AbortSignal}} [options] */
      wait: async (id, { withinS = 60, signal } = {}) => {
        const until = Date.now() + withinS * 1000;
        for (let pauseMs = 50; ; pauseMs = Math.min(2 * pauseMs, 1000)) {
          const analysis = await read(id, { signal });
          if (analysis.ended_at !== null) return analysis;
          if (Date.now() > until) throw new TimedOut(`${id}: not in ${withinS} s`);
          await pause(pauseMs, signal);
        }
      },
    };
  }

  // what takes an admin's key

  get webhooks() {
    const all = "/v1/webhook-endpoints";
    const of = (/** @type {string} */ id, act = "") => `${all}/${part(id)}${act}`;
    const again = (/** @type {string} */ delivery) =>
      `/deliveries/${part(delivery)}/redelivery`;
    return {
      /** @param {string} url @param {string[]} events */
      create: (url, events) => this.request("POST", all, { body: { url, events } }),
      list: async () => (await this.request("GET", all)).data,
      /** @param {string} id */
      read: (id) => this.request("GET", of(id)),
      /** @param {string} id @param {Json} changes */
      change: (id, changes) => this.request("PATCH", of(id), { body: changes }),
      /** @param {string} id */
      delete: (id) => this.request("DELETE", of(id)),
      /** @param {string} id */
      rotateSecret: (id) => this.request("POST", of(id, "/secrets"), { body: {} }),
      /** @param {string} id */
      ping: (id) => this.request("POST", of(id, "/ping"), { body: {} }),
      /** @param {string} id */
      deliveries: (id) => this.#pages(of(id, "/deliveries"), { limit: 200 }),
      /** @param {string} id @param {string} delivery */
      deliverAgain: (id, delivery) =>
        this.request("POST", of(id, again(delivery)), { body: {} }),
    };
  }

  get keys() {
    const of = (/** @type {string} */ id, act = "") => `/v1/keys/${part(id)}${act}`;
    return {
      /** @param {Json} wanted */
      create: (wanted) => this.request("POST", "/v1/keys", { body: wanted }),
      list: async () => (await this.request("GET", "/v1/keys")).data,
      /** @param {string} id @param {Json} [wanted] */
      rotate: (id, wanted = {}) =>
        this.request("POST", of(id, "/rotations"), { body: wanted }),
      /** @param {string} id */
      revoke: (id) => this.request("DELETE", of(id)),
    };
  }

  // private

  /**
   * @param {string} matchId
   * @param {string} act
   * @param {Json} body
   * @param {RequestOptions} [options]
   */
  #act(matchId, act, body, options = {}) {
    return this.request("POST", pathOf(matchId, act), { ...options, body });
  }

  /** @param {string} path @param {Json} query @param {string} [cursor] */
  async *#pages(path, query, cursor = "cursor") {
    for (;;) {
      const page = await this.request("GET", path, { query });
      yield* page.data;
      if (page.next_cursor === null) return;
      query = { ...query, [cursor]: page.next_cursor };
    }
  }

  /**
   * Send once; return the body of the answer, or throw why there is none.
   * @param {string} method
   * @param {string} path
   * @param {string} key
   * @param {RequestOptions} options
   */
  async #attempt(method, path, key, { body, query = {}, headers, waitS = 0, signal }) {
    const isText = typeof body === "string";
    const sent = this.#headers(headers);
    if (key) sent.set("Idempotency-Key", key);
    if (body && !isText) sent.set("Content-Type", "application/json");
    const line = linked(signal, (this.#options.answerWithinS + waitS) * 1000);
    try {
      const response = await fetch(this.#url + path + queryOf(query), {
        method,
        headers: sent,
        body: isText ? body : body && JSON.stringify(body),
        redirect: "manual", // it could lead the key to somebody else
        signal: line.signal,
      });
      const text = await response.text();
      if (!response.ok) throw problemOf(response, text);
      if (!text) return null;
      return isJson(response) ? JSON.parse(text) : text;
    } catch (error) {
      if (error instanceof Problem || signal?.aborted) throw error;
      throw new Unreachable(`${method} ${path}: ${error}`, key);
    } finally {
      line.release();
    }
  }

  /** @param {Record<string, string>} [headers] */
  #headers(headers = {}) {
    const sent = new Headers({ Accept: "application/json", ...headers });
    if (this.#token) sent.set("Authorization", `Bearer ${this.#token}`);
    if (this.#options.language) sent.set("Accept-Language", this.#options.language);
    return sent;
  }

  /** @param {string} path @param {() => Promise<string>} ask */
  async #where(path, ask) {
    this.#shared.streamBase ||= (await ask()).split("/v1/")[0];
    if (/^https:/.test(this.#url) && !/^https:/.test(this.#shared.streamBase)) {
      throw new Unreachable("the streams are not on https://, and the API is");
    }
    return this.#shared.streamBase + path;
  }

  /** Whoever asks the API for the stream of the feed is told where it is. */
  async #findStream(/** @type {RequestOptions} */ options) {
    try {
      const headers = { Accept: NDJSON };
      await this.request("GET", "/v1/events", { ...options, headers });
    } catch (error) {
      if (error instanceof Problem && error.type === "use-stream") {
        return error.facts.stream_url;
      }
      throw error;
    }
    throw new Unreachable("the API does not say where its streams are");
  }

  /**
   * The stream is followed while there is one; while it is away, the log is read by
   * pages, again and again, and the stream is tried from time to time.
   * @param {Followed} followed
   * @param {number | null} after
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<any, void>}
   */
  async *#follow(followed, after, signal) {
    let failures = 0;
    let streamFailures = 0;
    let streamAt = 0; // when the stream is worth another try
    let pollMs = POLL_MS;
    const take = (/** @type {Json} */ entry) => {
      const number = entry[followed.number];
      if (after !== null && number <= after) return false;
      after = number;
      return true;
    };
    const isConnected = () => {
      if (failures) this.#onConnection(false);
      failures = 0;
    };
    while (!signal?.aborted) {
      if (Date.now() >= streamAt) {
        try {
          for await (const frame of this.#frames(followed, after, signal)) {
            isConnected();
            if (frame.type === "end") return;
            if (frame.type === "failed") throw new FollowingEnded(frame.detail);
            if (frame.type === "snapshot") after = frame[followed.number];
            else if (frame[followed.number] && take(frame)) {
              streamFailures = 0;
              yield frame;
              if (signal?.aborted) return;
            }
          }
        } catch (error) {
          if (signal?.aborted) return;
          if (!(error instanceof Unreachable || error instanceof Problem)) throw error;
          const isFinal = error instanceof Problem && !RETRIED.has(error.status);
          if (isFinal && after === null) throw error; // no page will tell
        }
        pollMs = POLL_MS;
        const waitMs = streamFailures ? STREAM_AGAIN_MS * 2 ** (streamFailures - 1) : 0;
        streamFailures += 1;
        streamAt = Date.now() + Math.min(waitMs, STREAM_LATER_MS);
      }
      if (after !== null) {
        try {
          const page = await followed.read(after);
          isConnected();
          if (page.entries.length) pollMs = POLL_MS;
          for (const entry of page.entries) {
            if (signal?.aborted) return;
            if (take(entry)) yield entry;
          }
          if (page.isLast) return;
        } catch (error) {
          if (signal?.aborted) return;
          const isLost = error instanceof Unreachable;
          if (!isLost && !(error instanceof Problem && RETRIED.has(error.status))) {
            throw error;
          }
          failures += 1;
          this.#onConnection(true);
        }
      }
      const calmMs = globalThis.document?.hidden ? HIDDEN_POLL_MS : pollMs;
      await this.#waitForNews(failures ? pauseBefore(failures, null) : calmMs, signal);
      pollMs = Math.min(pollMs * 1.4, LONGEST_POLL_MS);
    }
  }

  /**
   * The frames of a stream as long as it lasts; `Unreachable` where it breaks off.
   * @param {Followed} followed
   * @param {number | null} after
   * @param {AbortSignal} [signal]
   * @returns {AsyncGenerator<Json, void>}
   */
  async *#frames(followed, after, signal) {
    const silenceMs = 2 * this.#options.heartbeatS * 1000;
    const url = await followed.streamUrl();
    const headers = this.#headers({ Accept: NDJSON });
    if (after !== null) headers.set("Last-Event-ID", String(after));
    const line = linked(signal, Math.min(silenceMs, this.#options.answerWithinS * 1000));
    const hangUp = () => line.abort();
    globalThis.addEventListener?.("offline", hangUp);
    try {
      const response = await fetch(url, { headers, signal: line.signal, redirect: "manual" });
      if (response.status === 204) {
        yield { type: "end" }; // it was seen already
        return;
      }
      if (!response.ok) throw problemOf(response, await response.text());
      yield { type: "open" };
      const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
      const decoder = new TextDecoder();
      let rest = "";
      for (;;) {
        line.expect(silenceMs);
        const { done, value } = await reader.read();
        if (done) throw new Unreachable("the stream has ended");
        // the last line may be half of one, and is told again
        const lines = (rest + decoder.decode(value, { stream: true })).split("\n");
        rest = lines.pop() ?? "";
        for (const text of lines) yield JSON.parse(text);
      }
    } catch (error) {
      if (error instanceof Problem || signal?.aborted) throw error;
      throw new Unreachable(String(error));
    } finally {
      globalThis.removeEventListener?.("offline", hangUp);
      line.abort(); // whoever stops listening hangs up
      line.release();
    }
  }

  /**
   * Wait until it is time, or likely that the log has gone on.
   * @param {number} ms
   * @param {AbortSignal} [signal]
   */
  async #waitForNews(ms, signal) {
    const soon = new AbortController();
    const wake = () => soon.abort();
    const { document } = globalThis;
    this.#shared.waiting.add(wake);
    signal?.addEventListener("abort", wake);
    document?.addEventListener("visibilitychange", wake);
    await pause(ms, soon.signal);
    this.#shared.waiting.delete(wake);
    signal?.removeEventListener("abort", wake);
    document?.removeEventListener("visibilitychange", wake);
  }
}

/**
 * Return what a message says that was signed by a secret, minutes ago at most.
 *
 * `body` is what came, byte by byte. A message may come twice, by one `webhook-id`.
 * @param {string} secret
 * @param {Headers | Record<string, string | string[] | undefined>} headers
 * @param {string | Uint8Array<ArrayBuffer>} body
 * @param {{toleranceS?: number, nowS?: number}} [options]
 */
export async function verifyWebhook(secret, headers, body, options = {}) {
  const { toleranceS = 300, nowS = Date.now() / 1000 } = options;
  const given = headers instanceof Headers ? [...headers] : Object.entries(headers);
  const named = Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), value]));
  const [id, at, signatures] = ["id", "timestamp", "signature"].map((name) =>
    String(named[`webhook-${name}`] ?? ""),
  );
  if (!id || !signatures || !/^\d{1,15}$/.test(at)) {
    throw new InvalidSignature("a header is missing: id, timestamp or signature");
  }
  const distanceS = Math.abs(nowS - Number(at));
  if (distanceS > toleranceS) {
    throw new InvalidSignature(`it was signed ${distanceS.toFixed()} s from now`);
  }
  const bytes = typeof body === "string" ? utf8(body) : body;
  const start = utf8(`${id}.${at}.`);
  const signed = new Uint8Array(start.length + bytes.length);
  signed.set(start);
  signed.set(bytes, start.length);
  const subtle = await webCrypto();
  const raw = fromBase64(secret.replace(/^whsec_/, ""));
  if (!raw) throw new TypeError("a secret is whsec_ and Base64");
  const kind = { name: "HMAC", hash: "SHA-256" };
  const key = await subtle.importKey("raw", raw, kind, false, ["verify"]);
  for (const each of signatures.split(" ")) {
    const signature = each.startsWith("v1,") && fromBase64(each.slice(3));
    if (signature && (await subtle.verify("HMAC", key, signature, signed))) {
      return JSON.parse(new TextDecoder().decode(bytes));
    }
  }
  throw new InvalidSignature("it was not signed by this secret");
}

const EVENT = /^\{"event":(\{.*\}),"hash":"([0-9a-f]{64})","signature":"[0-9a-f]{128}"\}$/;
const HEAD = /^\{"head":(\{.*\}),"signature":"([0-9a-f]{128})"\}$/;

/**
 * Return what an export holds, if it is as it was signed.
 *
 * Verified are the signature of the head, that it covers every byte of the file, and the
 * hash chain of all events; the rules are the business of the audit and of the page to
 * keep. `trusted` are the keys whose word counts, as `signingKeys` answers them; without
 * it the key in the file is believed.
 * @param {string} text
 * @param {{trusted?: SigningKeys}} [options]
 */
export async function verifyExport(text, { trusted } = {}) {
  const lines = text.split("\n");
  if (lines.length < 3 || lines.at(-1) !== "") {
    throw new InvalidExport("file", "it is cut off");
  }
  const header = parse(lines[0], "header");
  if (header.format !== "seedlog-export" || header.format_version !== 1) {
    throw new InvalidExport("header", "it is not that of a seedlog-export 1");
  }
  const [, headText, signature] = HEAD.exec(lines.at(-2) ?? "") ?? [];
  if (!headText) throw new InvalidExport("head", "its line cannot be read");
  const head = parse(headText, "head");
  if (head.kind !== "head") throw new InvalidExport("head", "it is not that of an export");
  let hash = await sha256(utf8(`seedlog/1 ${head.match}`));
  /** @type {any[]} */
  const events = [];
  for (const [index, line] of lines.slice(1, -2).entries()) {
    const place = `event ${index + 1}`;
    const [, eventText, told] = EVENT.exec(line) ?? [];
    if (!eventText) throw new InvalidExport(place, "its line cannot be read");
    hash = await sha256(utf8(hash + eventText));
    if (hash !== told) throw new InvalidExport(place, "it does not fit the chain");
    const event = parse(eventText, place);
    if (event.version !== index + 1) {
      throw new InvalidExport(place, "another stands in its place");
    }
    events.push(event);
  }
  if (head.events !== events.length || head.hash !== hash) {
    throw new InvalidExport("head", "it is not that of these events");
  }
  if ((await sha256(utf8(`${lines.slice(0, -2).join("\n")}\n`))) !== head.file) {
    throw new InvalidExport("header", "it is not the one that was signed");
  }
  if (header.match !== head.match) {
    throw new InvalidExport("header", "it names another match");
  }
  const key = await keyOf(header, head, trusted);
  const subtle = await webCrypto();
  const raw = fromHex(key.public);
  const imported = await subtle.importKey("raw", raw, "Ed25519", false, ["verify"]);
  if (!(await subtle.verify("Ed25519", imported, fromHex(signature), utf8(headText)))) {
    throw new InvalidExport("head", "its signature does not hold");
  }
  const { match, at: exportedAt, key: keyId } = head;
  return { match, events, hash, exportedAt, key: keyId, isKeyTrusted: Boolean(trusted) };
}

/**
 * Return the key that a head has to be signed with.
 * @param {Json} header
 * @param {Json} head
 * @param {SigningKeys} [trusted]
 */
async function keyOf(header, head, trusted) {
  for (const key of trusted ? trusted.keys : [header.key]) {
    if (!/^[0-9a-f]{64}$/.test(key?.public ?? "")) continue;
    const digest = await sha256(fromHex(key.public));
    if (`sig_${digest.slice(0, 16)}` !== head.key) continue;
    const { valid_from: from, valid_until: until } = key;
    if ((from && from > head.at) || (until && until <= head.at)) {
      throw new InvalidExport("head", `its key did not sign at ${head.at}`);
    }
    return key;
  }
  const whose = trusted ? "trusted" : "the header's";
  throw new InvalidExport("head", `its key is not ${whose}`);
}

/** @param {string} text @param {string} place @returns {Json} */
function parse(text, place) {
  try {
    const read = JSON.parse(text);
    if (read && typeof read === "object") return read;
  } catch {
    // it is said below
  }
  throw new InvalidExport(place, "it is not an object of JSON");
}

/** @returns {Promise<SubtleCrypto>} */
async function webCrypto() {
  // @ts-ignore: only Node 18 has to look for it, and there it is
  const found = globalThis.crypto ?? (await import("node:crypto")).webcrypto;
  if (!found.subtle) throw new Error("pages verify signatures only on https:// or localhost");
  return found.subtle;
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function sha256(bytes) {
  const digest = await (await webCrypto()).digest("SHA-256", bytes);
  return Array.from(new Uint8Array(digest), hexadecimal).join("");
}

/** @param {string} text */
function utf8(text) {
  return new TextEncoder().encode(text);
}

/** @param {number} byte */
function hexadecimal(byte) {
  return byte.toString(16).padStart(2, "0");
}

/** @param {string} text */
function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

/** @param {string} text */
function fromBase64(text) {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/** Return a key that no other request has, and that nobody guesses where there is Web Crypto. */
export function newKey() {
  const bytes = new Uint8Array(16);
  if (globalThis.crypto) crypto.getRandomValues(bytes);
  else bytes.forEach((_, place) => (bytes[place] = Math.random() * 256)); // Node 18
  return Array.from(bytes, hexadecimal).join("");
}

/** Whatever it holds, it stays one part of a path. @param {string} text */
function part(text) {
  if (/^\.{0,2}$/.test(text)) throw new TypeError(`${JSON.stringify(text)} is no id`);
  return encodeURIComponent(text);
}

/** @param {string} matchId @param {string} [act] */
function pathOf(matchId, act = "") {
  return `/v1/matches/${part(matchId)}${act && `/${act}`}`;
}

/** @param {Record<string, string | number | boolean | null | undefined>} query */
function queryOf(query) {
  const given = Object.entries(query).filter(([, value]) => (value ?? null) !== null);
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
  return given.length ? `?${text}` : "";
}

/** @param {Response} response */
function isJson(response) {
  const [type] = (response.headers.get("Content-Type") ?? "").split(";");
  return type === "application/json" || type.endsWith("+json");
}

/** @param {Response} response @param {string} text */
function problemOf(response, text) {
  let facts = null;
  try {
    facts = JSON.parse(text);
  } catch {
    // whoever answered, it was not the API
  }
  if (!facts || typeof facts !== "object") facts = { detail: text.slice(0, 200) };
  const after = Number(response.headers.get("Retry-After") || NaN);
  return new Problem(response.status, facts, Number.isFinite(after) ? after : null);
}

/**
 * How long to wait after some attempts, a little more or less by chance, so that those
 * who lost the same server do not all come back at once; for ever, if it is too long.
 * @param {number} failures
 * @param {Problem | Unreachable | null} refused
 */
function pauseBefore(failures, refused) {
  const after = refused instanceof Problem ? refused.retryAfterS : null;
  if (after !== null) {
    if (after > LONGEST_RETRY_AFTER_S) return Infinity;
    return 1000 * (after + Math.random() * Math.max(after / 4, 0.1));
  }
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
  return longest * (0.6 + Math.random() * 0.4);
}

/**
 * Wait; not longer than a page is offline, or until a signal.
 * @param {number} ms
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
function pause(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      globalThis.removeEventListener?.("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
    globalThis.addEventListener?.("online", done);
    if (signal?.aborted) done();
  });
}

/**
 * A signal that follows another, and aborts when it is late: `AbortSignal.any` is newer
 * than some of those who run this.
 * @param {AbortSignal | undefined} signal
 * @param {number} ms
 */
function linked(signal, ms) {
  const line = new AbortController();
  const abort = () => line.abort();
  let timer = setTimeout(abort, ms);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  return {
    signal: line.signal,
    abort,
    /** Begin anew to wait. @param {number} nextMs */
    expect(nextMs) {
      clearTimeout(timer);
      timer = setTimeout(abort, nextMs);
    },
    release() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    },
  };
}
