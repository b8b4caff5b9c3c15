import test from 'ava';
import { gbt } from '../../formats/gbt.ts';
import { checkDelimitedFixture } from '../helpers/check-scan.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';

for (const fixture of fixtureCases('GBT')) {
	test(`${fixture.name}: ${fixture.note}`, checkDelimitedFixture, gbt, fixture);
}
