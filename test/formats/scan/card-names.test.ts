import test from 'ava';
import * as meanings from '../../../formats/scan/card-names.ts';
import { PIECE } from '../../../formats/scan/json/number-parts.ts';

test('each thing that the meaning of a name may say has a bit of its own', (t) => {
	const bits = [...Object.values(meanings), PIECE].filter((each) => typeof each === 'number');
	t.true(bits.length > 8);
	for (const [at, bit] of bits.entries()) {
		for (const other of bits.slice(at + 1)) t.is(bit & other, 0, `${bit} and ${other}`);
	}
});
