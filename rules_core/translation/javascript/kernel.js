/* What rules use besides integers and boards; numbers and BigInts alike. */

const floor_mod = (one, other) => {
  const rest = one % other;
  return rest && rest < 0 !== other < 0 ? rest + other : rest;
};
const floor_div = (one, other) => (one - floor_mod(one, other)) / other;
const bit = (index) => 1n << index;
const lowest = (word) => BigInt((word & -word).toString(2).length - 1);
const popcount = (word) => BigInt(word.toString(2).replaceAll("0", "").length);
