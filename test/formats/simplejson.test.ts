import test from 'ava';
import { simplejson } from '../../formats/simplejson.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';
import { checkStructuredFixture } from '../helpers/structured-fixtures.ts';

for (const fixture of fixtureCases('SIMPLEJSON')) {
	test(`${fixture.name}: ${fixture.note}`, checkStructuredFixture, simplejson, fixture);
}
