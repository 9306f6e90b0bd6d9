/* SHA-256 and hexadecimal digits; also where WebCrypto is not to be had. */

const bytes = (text) => new TextEncoder().encode(text);
const fromHex = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (two) => parseInt(two, 16));
const rotate = (word, by) => (word >>> by) | (word << (32 - by));

/** The constants of SHA-256: fractions of the roots of primes. */
const [ROUNDS, BEGINNING] = (() => {
  const primes = [];
  for (let n = 2; primes.length < 64; n += 1) {
    if (primes.every((prime) => n % prime)) primes.push(n);
  }
  const fraction = (root) => ((root - Math.floor(root)) * 2 ** 32) | 0;
  return [
    Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
  ];
})();

const sha256 = (text) => sha256Of(bytes(text));

/** SHA-256 of bytes, in hexadecimal. */
function sha256Of(message) {
  const padded = new Uint8Array(((message.length + 72) >> 6) << 6);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(message.length / 2 ** 29));
  view.setUint32(padded.length - 4, message.length << 3);
  const hash = Int32Array.from(BEGINNING);
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) addBlock(hash, words, view, at);
  return [...hash].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Mix one block of 64 bytes into a hash. */
function addBlock(hash, words, view, at) {
  for (let i = 0; i < 16; i += 1) words[i] = view.getInt32(at + 4 * i);
  for (let i = 16; i < 64; i += 1) {
    const [one, two] = [words[i - 15], words[i - 2]];
    const first = rotate(one, 7) ^ rotate(one, 18) ^ (one >>> 3);
    const second = rotate(two, 17) ^ rotate(two, 19) ^ (two >>> 10);
    words[i] = words[i - 16] + first + words[i - 7] + second;
  }
  let [a, b, c, d, e, f, g, h] = hash;
  for (let i = 0; i < 64; i += 1) {
    const sum = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const one = (h + sum + ((e & f) ^ (~e & g)) + ROUNDS[i] + words[i]) | 0;
    const other = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const two = (other + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + one) | 0;
    d = c;
    c = b;
    b = a;
    a = (one + two) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, i) => (hash[i] += word));
}
