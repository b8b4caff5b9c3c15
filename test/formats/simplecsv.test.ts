import test from 'ava';
import { simplecsv } from '../../formats/simplecsv.ts';
import { checkDelimitedFixture } from '../helpers/check-scan.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';

for (const fixture of fixtureCases('SIMPLECSV')) {
	test(`${fixture.name}: ${fixture.note}`, checkDelimitedFixture, simplecsv, fixture);
}
