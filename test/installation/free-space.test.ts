import test from 'ava';
import { checkDropStore, checkSpaceForJobs } from '../../src/installation/doctor/free-space.ts';

const withFree = (free: number) => ({ checkWritable: async () => {}, space: async () => ({ total: 1000, free }) });

test('a drop store that is nearly full is worth a warning, and no reason to stop', async (t) => {
	t.is(await checkDropStore(withFree(0)), 'less than 5 % of the drop store is free');
	t.is(await checkDropStore(withFree(49)), 'less than 5 % of the drop store is free');
	t.is(await checkDropStore(withFree(50)), undefined);
});

test('one that cannot be asked, or takes nothing, fails the check', async (t) => {
	const gone = () => Promise.reject(new Error('gone'));
	await t.throwsAsync(checkDropStore({ ...withFree(500), space: gone }), { message: 'gone' });
	await t.throwsAsync(checkDropStore({ ...withFree(500), checkWritable: gone }), { message: 'gone' });
});

test('a daemon in which files wait and none can run for want of space is not ready', async (t) => {
	await t.throwsAsync(
		checkSpaceForJobs(withFree(1000), async () => 1),
		{ message: /no room for its output/ },
	);
	await t.notThrowsAsync(checkSpaceForJobs(withFree(1024 * 1024), async () => 1));
	await t.notThrowsAsync(
		checkSpaceForJobs(withFree(0), async () => 0),
		'nothing waits, and cards are taken',
	);
});
