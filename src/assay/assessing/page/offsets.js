// Offsets of Assay count Unicode characters; those of a browser count UTF-16 units.

/** How many of some ascending numbers are below a value. */
export function below(numbers, value) {
  let low = 0, high = numbers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle] < value) low = middle + 1; else high = middle;
  }
  return low;
}

/** The way from characters to units and back, for one text. */
export class Offsets {
  constructor(text) {
    // where the characters are that take two units: in characters, and in units
    this.points = [];
    this.units = [];
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit >= 0xd800 && unit < 0xdc00) {
        this.points.push(at - this.points.length);
        this.units.push(at);
        at += 1;
      }
    }
  }

  toUnits(point) { return point + below(this.points, point); }

  /** A place within a character is the place before it. */
  toPoints(unit) { return unit - below(this.units, unit); }
}

const K = new Uint32Array(64);
const START = new Uint32Array(8);
for (let number = 2, found = 0; found < 64; number += 1) {
  let prime = true;
  for (let factor = 2; factor * factor <= number; factor += 1) if (number % factor === 0) prime = false;
  if (prime) {
    const fraction = (root) => Math.floor((root - Math.floor(root)) * 2 ** 32);
    if (found < 8) START[found] = fraction(Math.sqrt(number));
    K[found] = fraction(Math.cbrt(number));
    found += 1;
  }
}

/** The SHA-256 of a text in UTF-8. Browsers have their own only on secure pages, which one on a local network is not. */
export function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const length = bytes.length;
  const padded = new Uint8Array(((length + 9 + 63) >> 6) << 6);
  padded.set(bytes);
  padded[length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(length / 2 ** 29));
  view.setUint32(padded.length - 4, (length << 3) >>> 0);
  const hash = START.slice(), w = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let t = 0; t < 16; t += 1) w[t] = view.getUint32(block + 4 * t);
    for (let t = 16; t < 64; t += 1) {
      const a = w[t - 15], b = w[t - 2];
      const s0 = ((a >>> 7) | (a << 25)) ^ ((a >>> 18) | (a << 14)) ^ (a >>> 3);
      const s1 = ((b >>> 17) | (b << 15)) ^ ((b >>> 19) | (b << 13)) ^ (b >>> 10);
      w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    let [a, b, c, d, e, f, g, h] = hash;
    for (let t = 0; t < 64; t += 1) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const one = (h + s1 + ((e & f) ^ (~e & g)) + K[t] + w[t]) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
    }
    [a, b, c, d, e, f, g, h].forEach((value, which) => { hash[which] += value; });
  }
  return [...hash].map((value) => value.toString(16).padStart(8, "0")).join("");
}
