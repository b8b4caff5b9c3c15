import test from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../src/base/errors.ts';
import type { FieldErrors } from '../../src/doors/http/input/field-errors.ts';
import { FieldProblems, listFields } from '../../src/doors/http/input/field-problems.ts';

/** Returns what is listed for one bad input. */
function listed(error: ServiceError): unknown {
	const problems = new FieldProblems();
	problems.note(error);
	try {
		problems.throwIfAny();
	} catch (thrown) {
		return (thrown as FieldErrors).errors;
	}
}

test('a bad input is listed under its field, whatever field and text are', (t) => {
	// Names that every object inherits, such as __proto__, cannot be members of the list.
	const field = fc.string({ minLength: 1 }).filter((name) => !(name in {}));
	fc.assert(
		fc.property(field, fc.string(), (name, problem) => {
			t.deepEqual(listed(new ServiceError('bad-input-data', { field: name, problem })), { [name]: [problem] });
		}),
	);
});

test('a text that only looks as if it began with a field is about the body', (t) => {
	const error = new ServiceError('bad-input-data', { moreInfo: 'Note: nothing was read' });
	t.deepEqual(listed(error), { body: ['Note: nothing was read'] });
	const { errors } = t.throws(() => listFields(error as never), { name: 'FieldErrors' }) as FieldErrors;
	t.deepEqual(errors, { body: ['Note: nothing was read'] });
});
