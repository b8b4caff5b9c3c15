import test from 'ava';
import { gbt } from '../../formats/gbt.ts';
import { checkDelimitedFixture } from '../helpers/check-scan.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';
import { scanAll } from '../helpers/scan.ts';

for (const fixture of fixtureCases('GBT')) {
	test(`${fixture.name}: ${fixture.note}`, checkDelimitedFixture, gbt, fixture);
}

test('a header that names two CVV columns of one number is refused as the header it is', (t) => {
	const text = 'H,GBT\nCard Number,CVV,CID\n4111111111111111,123,4567\n';
	t.throws(() => scanAll(gbt, gbt.options.parse({}), Buffer.from(text)), {
		message: 'two columns are named as the CVV of one card number; name one of them in aliases or columns',
	});
	const options = gbt.options.parse({ aliases: { cvv: ['CID'] } });
	t.like(scanAll(gbt, options, Buffer.from(text)), [{ cvv: { raw: '4567' } }]);
});
