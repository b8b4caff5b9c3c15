import test from 'ava';
import { csv } from '../../formats/csv.ts';
import { checkDelimitedFixture } from '../helpers/check-scan.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';

for (const fixture of fixtureCases('CSV')) {
	test(`${fixture.name}: ${fixture.note}`, checkDelimitedFixture, csv, fixture);
}
