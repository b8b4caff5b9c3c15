// Interrupts its own process by the signal in TEST_SIGNAL once something is written to a file whose path ends in TEST_WRITTEN:
// a file of the command's own, or the copy of a database. `node --require` takes this file.

const fs = require('node:fs/promises');
const { syncBuiltinESMExports } = require('node:module');
const SqliteDatabase = require('better-sqlite3');

const { TEST_SIGNAL, TEST_WRITTEN } = process.env;
let isInterrupted = false;
function interrupt() {
	if (!isInterrupted) process.kill(process.pid, TEST_SIGNAL);
	isInterrupted = true;
}

const { open } = fs;
fs.open = async (path, ...rest) => {
	const file = await open(path, ...rest);
	if (!String(path).endsWith(TEST_WRITTEN)) return file;
	for (const name of ['write', 'writev', 'writeFile', 'appendFile']) {
		const write = file[name];
		file[name] = async (...given) => {
			const written = await write.apply(file, given);
			interrupt();
			// The signal is handled in a later turn of the loop, before the command goes on.
			await new Promise((resolve) => setTimeout(resolve, 50));
			return written;
		};
	}
	return file;
};
syncBuiltinESMExports();

const { backup } = SqliteDatabase.prototype;
SqliteDatabase.prototype.backup = function interrupted(target, options) {
	if (!target.endsWith(TEST_WRITTEN)) return backup.call(this, target, options);
	// One page at a time, so that there is a time between the first page and the last.
	const progress = (pages) => {
		const asked = options.progress(pages);
		interrupt();
		return Math.min(asked, 1);
	};
	return backup.call(this, target, { progress });
};
