import { readFileSync } from 'node:fs';
import test from 'ava';
import {
	catalogue,
	type ErrorRow,
	type Reason,
	ServiceError,
	type StandardError,
	standardErrorOf,
} from '../src/base/errors.ts';

test('a failure about a field has it as data, and moreInfo begins with it', (t) => {
	const error = new ServiceError('bad-input-data', { field: 'merchantId', problem: 'no such account' });
	t.like(error, { field: 'merchantId', moreInfo: 'merchantId: no such account' });
	t.is(error.message, 'Bad input data: merchantId: no such account');
	t.like(new ServiceError('uri-not-found', error.said), { field: 'merchantId', moreInfo: error.moreInfo });
	t.like(new ServiceError('bad-input-data', { moreInfo: 'Note: nothing' }), { field: null, moreInfo: 'Note: nothing' });
});

const NOT_AUTHORIZED = 'You are not authorized to access this resource. Please contact customer support.';

const answers = test.macro({
	exec(t, reason: Reason, moreInfo: string | undefined, status: number, body: StandardError | null) {
		const error = new ServiceError(reason, { moreInfo });
		t.is(error.status, status);
		t.deepEqual(standardErrorOf(error), body);
	},
	title: (text = '', reason) => `${reason}: ${text}`,
});

test('the detail goes to moreInfo', answers, 'bad-input-data', 'merchantId is unknown', 400, {
	code: -125,
	message: 'Bad input data',
	moreInfo: 'merchantId is unknown',
});
test('a CVV has its own message', answers, 'bad-input-parameter', undefined, 400, {
	code: -125,
	message: 'Bad input parameter',
	moreInfo: null,
});
test('message and moreInfo are swapped', answers, 'permission-denied', 'Permission Relay is required', 403, {
	code: -1003,
	message: 'Permission Relay is required',
	moreInfo: NOT_AUTHORIZED,
});
test(
	'the detail is for the log, moreInfo has the fixed text',
	answers,
	'association-target-invalid',
	'merchantId',
	403,
	{
		code: -1003,
		message: 'This operation is not allowed for the given entity',
		moreInfo: NOT_AUTHORIZED,
	},
);
test('message is null and moreInfo generic', answers, 'allowance-exceeded', undefined, 403, {
	code: -1003,
	message: null,
	moreInfo: NOT_AUTHORIZED,
});
test('the cause stays hidden from the caller', answers, 'token-not-accessible', 'deleted', 401, {
	code: -1003,
	message: NOT_AUTHORIZED,
	moreInfo: null,
});
test('a deleted token has a code of its own', answers, 'uri-not-found', undefined, 404, {
	code: -160,
	message: 'Uri not found',
	moreInfo: null,
});
test('moreInfo is not populated', answers, 'request-timed-out', 'after 29 s', 504, {
	code: -175,
	message: 'Request timed out',
	moreInfo: null,
});
test('the limit is no business of the caller', answers, 'too-many-calls', 'relay.maxInFlight', 503, {
	code: -150,
	message: 'System error: unexpected condition',
	moreInfo: null,
});
test('there is no body', answers, 'authentication-failed', 'key revoked', 401, null);
test('there is no body either', answers, 'endpoint-not-found', undefined, 404, null);

test('the log reads the detail, the place and the cause that callers may not see', (t) => {
	const cause = new Error('connection refused');
	const error = new ServiceError('database-unavailable', { moreInfo: 'while reading pages', at: { offset: 7 }, cause });
	t.is(error.message, 'System error: unexpected condition: while reading pages');
	t.is(error.cause, cause);
	t.deepEqual(error.at, { offset: 7 });
	t.true(error.retryable);
	t.false(new ServiceError('bad-input-data').retryable);
});

test('every code is one the interface returns, and 503 alone is retryable', (t) => {
	for (const [reason, row] of Object.entries<ErrorRow>(catalogue)) {
		t.true([null, -125, -1003, -150, -160, -175].includes(row.code), reason);
		t.is(row.retryable ?? false, row.status === 503, reason);
		t.is(row.code === null, row.message === null, reason);
	}
});

test('docs/errors.md and the catalogue say the same, both ways', (t) => {
	const page = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8');
	const rows = page.split('\n').filter((line) => line.startsWith('| `'));
	const documented = rows.map((line) =>
		line
			.split('|')
			.slice(1, 7)
			.map((cell) => cell.trim()),
	);
	const expected = Object.entries<ErrorRow>(catalogue).map(([reason, { status, code, message, detail, retryable }]) => [
		`\`${reason}\``,
		String(status),
		String(code ?? 'none'),
		message ?? 'none',
		detail === 'hidden' ? 'log' : (detail ?? 'moreInfo'),
		retryable ? 'yes' : 'no',
	]);
	t.deepEqual(documented, expected);
});
