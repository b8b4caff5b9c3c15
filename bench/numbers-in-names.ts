// Measures how many ordinary names and references are refused because they look like card numbers: `node
// bench/numbers-in-names.ts`.

import { holdsCardNumber } from '../src/base/card/spelling/spelled-number.ts';
import { ORDINARY_NAMES } from '../test/helpers/ordinary-names.ts';
import { Dice } from '../test/helpers/trade-numbers.ts';

const NAMES = 1_000_000;

const dice = new Dice(20_261_122);
const kinds = Object.entries(ORDINARY_NAMES);
const each = Math.ceil(NAMES / kinds.length);
const started = performance.now();
let refusals = 0;
for (const [kind, make] of kinds) {
	let refused = 0;
	for (let i = 0; i < each; i++) if (holdsCardNumber(make(dice))) refused++;
	refusals += refused;
	console.log(`${kind.padEnd(36)} ${((refused / each) * 100).toFixed(3)} %`);
}
const total = each * kinds.length;
const seconds = ((performance.now() - started) / 1000).toFixed(1);
console.log(`${refusals} of ${total} refused: ${((refusals / total) * 100).toFixed(3)} %, in ${seconds} s`);
