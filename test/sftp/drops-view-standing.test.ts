import test, { type ExecutionContext } from 'ava';
import { CredentialEndedError } from '../../src/people/identity/credentials/ending.ts';
import { BYTES, NO_GUARDS, names, openView, PUT, publish, READ } from '../helpers/drops-view.ts';

/** Opens a view whose credential a test can end. */
async function openWatched(t: ExecutionContext) {
	const setting = await openView(t);
	const released: true[] = [];
	let hasEnded = false;
	const tree = setting.view(undefined, undefined, undefined, {
		...NO_GUARDS,
		async check() {
			if (hasEnded) throw new CredentialEndedError('the API key was revoked');
		},
		release: () => void released.push(true),
	});
	return { setting, tree, released, end: () => (hasEnded = true) };
}

const refusal = { name: 'TreeError', message: 'this login has ended: log in again' };

test('nothing is opened, shortened, renamed or removed for a credential that has ended', async (t) => {
	const { setting, tree, end } = await openWatched(t);
	await publish(setting, 'tokenized', 'may.csv', BYTES);
	end();
	await t.throwsAsync(tree.open('/tokenize/GBT/june.csv', PUT), refusal);
	await t.throwsAsync(tree.open('/tokenized/GBT/may.csv', READ), refusal);
	await t.throwsAsync(tree.truncate('/tokenized/GBT/may.csv', 0), refusal);
	await t.throwsAsync(tree.rename('/tokenized/GBT/may.csv', '/tokenized/GBT/b', false), refusal);
	await t.throwsAsync(tree.remove('/tokenized/GBT/may.csv'), refusal);
	t.deepEqual(await names(setting.view(), '/tokenized/GBT'), ['may.csv']);
	t.deepEqual(await names(setting.view(), '/tokenize/GBT'), []);
});

test('an upload whose credential ended is paused at its CLOSE, not accepted', async (t) => {
	const { setting, tree, end } = await openWatched(t);
	const file = await tree.open('/tokenize/GBT/may.csv', PUT);
	await file.write(0, Buffer.from(BYTES.subarray(0, 100)));
	end();
	await t.throwsAsync(file.close(), refusal);
	t.deepEqual(setting.jobs, []);
	const kept = await setting.drops.find({ accountId: 7 as never, area: 'tokenize', filter: 'GBT' }, 'may.csv');
	t.like(kept, { state: 'partial', size: 100 });
});

test('a file with card numbers is not read on, and its handle can still be closed', async (t) => {
	const { setting, tree, released, end } = await openWatched(t);
	await publish(setting, 'detokenized', 'may.csv', BYTES);
	const file = await tree.open('/detokenized/GBT/may.csv', READ);
	t.deepEqual(await file.read(0, 1), BYTES.subarray(0, 1));
	end();
	await t.throwsAsync(file.read(0, 1), refusal);
	await file.close();
	await tree.close();
	t.deepEqual(released, [true]);
});
