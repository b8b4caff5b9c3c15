import { accessSync, constants, statfsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export default {
	files: ['test/**/*.test.ts'],
	extensions: ['ts'],
	// No test says anything for as long on a machine that is four times slower than ours (test/helpers/patience.ts), unless it is
	// given more inputs than usual. No test asks for more itself: AVA would not look again once it has skipped its limit.
	timeout: process.env.TOKENDROP_TEST_LONG === '1' || process.env.MODEL_RUNS !== undefined ? '2400s' : '480s',
	workerThreads: false,
	environmentVariables: {
		// Every file is a process of its own, and most load the whole house: what one has compiled the next takes over. Only
		// tests do so; a daemon runs no code from a folder that others might write to.
		NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)),
		...(hasRoomInMemory('/dev/shm') && { TMPDIR: '/dev/shm' }),
	},
};

/**
 * Whether a file system in memory has room for what tests write: databases, drops, PostgreSQL. They wait for the disk most of
 * the time otherwise, and nothing of it has to outlive the run. Containers give 64 MB as a rule, which is too little.
 */
function hasRoomInMemory(path) {
	if (process.env.TMPDIR !== undefined) return false;
	try {
		accessSync(path, constants.W_OK);
		const { bavail, bsize } = statfsSync(path);
		return bavail * bsize > 8 * 2 ** 30;
	} catch {
		return false;
	}
}
