import test, { type ExecutionContext } from 'ava';
import { BlobMissingError } from '../../src/base/blobs/blob-store.ts';
import { DamagedFileError } from '../../src/base/blobs/sealed-file.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { told } from '../../src/base/failures.ts';
import { RootKeyError } from '../../src/base/keys/root-key.ts';
import { FileError } from '../../src/engine/format.ts';
import { OptionsError } from '../../src/engine/options.ts';
import { DamagedPageError } from '../../src/vault/pages/page-row.ts';
import { backoffMs } from '../../src/work/jobs/queue/crashes.ts';
import { judgeFailure } from '../../src/work/jobs/queue/retry.ts';

const withCode = (code: string) => Object.assign(new Error('4111111111111111'), { code });

const judged = test.macro({
	title: (_, what: string, reason: string, isRetryable: boolean) =>
		`${what} is ${reason} and ${isRetryable ? 'tried again' : 'final'}`,
	exec(t: ExecutionContext, _what: string, reason: string, isRetryable: boolean, error: unknown) {
		const verdict = judgeFailure(error);
		t.is(verdict.error.reason, reason);
		t.is(verdict.isRetryable, isRetryable);
		t.is(verdict.isUnexpected, reason === 'system-error');
		t.notRegex(verdict.error.message, /4111/);
	},
});
const at = { offset: 5, line: 2, record: 1 };
test(judged, 'a bad file', 'file-malformed', false, new FileError('expected a comma', at));
test(
	judged,
	'a wrong option',
	'bad-input-parameter',
	false,
	new OptionsError([{ path: 'columns', rule: 'missing', told: told('member-missing') }]),
);
test(
	judged,
	'a request that is refused',
	'cvv-retention-not-set-up',
	false,
	new ServiceError('cvv-retention-not-set-up'),
);
test(judged, 'an altered input', 'input-damaged', false, new DamagedFileError('x', 'frame 1 does not open'));
test(judged, 'a lost input', 'input-missing', false, new BlobMissingError('x'));
test(judged, 'a card whose page is damaged', 'card-damaged', false, new DamagedPageError(17, {}));
test(judged, 'a store that is away', 'drop-store-unavailable', true, new ServiceError('drop-store-unavailable'));
test(judged, 'a root key that is away', 'key-store-unavailable', true, new RootKeyError('no answer'));
test(judged, 'a database that is away', 'database-unavailable', true, withCode('ECONNREFUSED'));
test(
	judged,
	'a thread that died of a database without room for it',
	'database-unavailable',
	true,
	new Error('the thread of job 1 died', { cause: withCode('53300') }),
);
test(judged, 'a full disk', 'drop-store-unavailable', true, withCode('ENOSPC'));
test(judged, 'too many open files', 'drop-store-unavailable', true, withCode('EMFILE'));
test(judged, 'a bug', 'system-error', true, new Error('internal error: 4111111111111111'));
test(judged, 'anything thrown', 'system-error', true, '4111111111111111');

test('the position of a bad file is kept', (t) => {
	t.deepEqual(judgeFailure(new FileError('expected a comma', at)).error.at, at);
});

test('waits grow, to five minutes at most', (t) => {
	t.deepEqual([1, 2, 3, 4, 50].map(backoffMs), [5_000, 20_000, 80_000, 300_000, 300_000]);
});
