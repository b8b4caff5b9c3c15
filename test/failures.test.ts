// Checks the codes for which calls and jobs fail: all are listed with a next step, and each failure says its own.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { formats } from '../formats/index.ts';
import { catalogue, ServiceError } from '../src/base/errors.ts';
import { FAILURES, failureOf, failureOfError, isFailureCode, told } from '../src/base/failures.ts';
import { FileError } from '../src/engine/format.ts';
import { OptionsError, parseOptions } from '../src/engine/options.ts';
import { requirePermission } from '../src/people/identity/permissions.ts';
import { DamagedPageError } from '../src/vault/pages/page-row.ts';
import { judgeFailure } from '../src/work/jobs/queue/retry.ts';
import { explainRefusal } from '../src/work/ledger/allowance-texts.ts';
import { scanAll } from './helpers/scan.ts';
import { files as sources } from './helpers/source-rules.ts';

test('every reason of the catalogue is a code, and docs/failures.md lists all codes', (t) => {
	for (const reason of Object.keys(catalogue)) t.true(isFailureCode(reason), reason);
	const page = readFileSync(new URL('../docs/failures.md', import.meta.url), 'utf8');
	const rows = Object.entries(FAILURES).map(([code, row]) => {
		const names = 'parameters' in row ? row.parameters.map((name) => `\`${name}\``).join(', ') : '';
		return `| \`${code}\` | ${names} | ${row.next} | ${row.retry} |`;
	});
	t.deepEqual(
		page.split('\n').filter((line) => /^\| `[a-z-]+` \|[^|]*\| [a-z-]+ \| (now|after-step|no) \|$/.test(line)),
		rows,
	);
});

test('every reason that a job is given has a code', (t) => {
	const jobs = sources.filter(({ path }) => path.startsWith('src/work/jobs/'));
	const reasons = jobs.flatMap(({ path }) => {
		const text = readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
		return [...text.matchAll(/(?:reason: |final\(|away\()'([a-z-]+)'/g)].map(([, reason]) => reason);
	});
	t.true(reasons.length > 8);
	for (const reason of reasons) t.true(isFailureCode(reason), reason);
});

const CASES: readonly [filter: string, content: string | Buffer, code: string, parameters?: object][] = [
	['SIMPLECSV', Buffer.from('CardNumber\n4111111111111111\n', 'utf16le'), 'file-not-text'],
	['SIMPLECSV', 'PK\x03\x04 of a spreadsheet', 'file-not-text'],
	['SIMPLECSV', '4111111111111111,12,2029\n5555555555554444,12,2029\n', 'header-missing'],
	['SIMPLECSV', 'CardNumber,ExpirationMonth\n"4111', 'table-malformed'],
	['SIMPLEJSON', '{"cardNumber": tru}', 'json-malformed'],
	['SIMPLEJSON', '{"cardNumber": "4111', 'file-cut-off'],
	['TADC', '<a><!-- -- --></a>', 'xml-malformed'],
	['TADC', '<a><b></a>', 'xml-malformed'],
	['AIR', 'not an air\n', 'file-of-other-format'],
	['AIR', 'AIR-BLK207;7A\nx', 'file-cut-off'],
	['IUR', 'not an iur\n', 'file-of-other-format'],
];
for (const [filter, content, code] of CASES) {
	test(`${filter}: ${JSON.stringify(content.toString('latin1').slice(0, 30))} is ${code}`, (t) => {
		const format = formats.get(filter)!;
		const { format: options } = parseOptions(format, {});
		const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content, 'latin1');
		const error = t.throws(() => scanAll(format, options, bytes), { instanceOf: FileError })!;
		t.is(error.told.code as string, code, error.message);
		t.is(error.rebased(7).told, error.told);
		t.deepEqual(judgeFailure(error).error.told, error.told);
		t.notRegex(JSON.stringify(error.told), /4111/);
	});
}

test('a used-up allowance says how much of how much, and that trying again does not help by itself', async (t) => {
	const refusal = new ServiceError('allowance-exceeded');
	const explained = async (usage: { used: number; limit: number } | undefined) => {
		const error = await t.throwsAsync(explainRefusal({ findUsage: async () => usage }, 1 as never, refusal));
		return failureOf(judgeFailure(error).error.told!);
	};
	t.deepEqual(await explained({ used: 16_022, limit: 10_000 }), {
		code: 'allowance-used-up',
		parameters: { used: 16_022, limit: 10_000 },
		next: 'ask-operator',
		retry: 'after-step',
	});
	t.is((await explained({ used: 3, limit: 10 })).code, 'account-blocked');
});

test('what else is known of a failure is among the parameters', (t) => {
	t.deepEqual(
		judgeFailure(new OptionsError([{ path: 'columns', rule: 'missing', told: told('member-missing') }])).error.told,
		{
			code: 'options-unfit',
			parameters: { problems: 'columns: missing' },
		},
	);
	t.deepEqual(judgeFailure(new DamagedPageError(17, {})).error.told, told('card-damaged', { page: 17 }));
	const denied = t.throws(() => requirePermission({ permissions: new Set() }, 'Relay'));
	t.deepEqual(failureOfError(denied), {
		code: 'permission-missing',
		parameters: { permission: 'Relay' },
		next: 'ask-manager',
		retry: 'after-step',
	});
	const field = new ServiceError('bad-input-data', { field: 'merchantId', problem: 'no such account' });
	t.like(failureOfError(field), { code: 'bad-input-data', parameters: { field: 'merchantId' }, retry: 'no' });
	t.like(failureOfError(new ServiceError('request-timed-out', { isOutcomeUnknown: true })), {
		code: 'outcome-unknown',
	});
	t.like(failureOfError(new Error('a bug')), { code: 'system-error', retry: 'now' });
	t.like(failureOf({ code: 'of-a-later-version' }), { code: 'system-error' });
});
