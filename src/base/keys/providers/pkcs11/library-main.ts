// This is the process that loads the library of an HSM and uses its key. It ends with the daemon, and after every failure of the
// device, so that the next question begins with a new login.

import type { LibraryAnswer, LibraryQuestion } from './pkcs11.ts';
import { openTokenKey, TokenError, type TokenKey } from './token-key.ts';

let key: TokenKey | undefined;

function answerTo({ id, operation, place, pin, bytes }: LibraryQuestion): LibraryAnswer {
	try {
		key ??= openTokenKey(place, pin);
		const given = Buffer.from(bytes);
		return { id, bytes: operation === 'wrap' ? key.wrap(given) : key.unwrap(given) };
	} catch (error) {
		if (error instanceof TokenError) return { id, failure: error.failure, why: error.message };
		return { id, failure: 'away', why: 'internal error: the process of the library failed' };
	}
}

process.report.excludeEnv = true;
process.on('disconnect', () => process.exit(0));
process.on('message', (question: LibraryQuestion) => {
	const answer = answerTo(question);
	const isOver = 'failure' in answer;
	process.send!(answer, undefined, undefined, () => isOver && process.exit(0));
});
