import test from 'ava';
import { tadc } from '../../formats/tadc.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';
import { checkStructuredFixture } from '../helpers/structured-fixtures.ts';

for (const fixture of fixtureCases('TADC')) {
	test(`${fixture.name}: ${fixture.note}`, checkStructuredFixture, tadc, fixture);
}
