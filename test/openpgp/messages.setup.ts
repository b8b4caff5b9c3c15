// Runs messages through the threads for OpenPGP.

import type { ExecutionContext } from 'ava';
import type { Told } from '../../src/base/errors.ts';
import { parseKey } from '../../src/base/openpgp/keys.ts';
import type { DecryptTask, EncryptTask, MessageTask } from '../../src/base/openpgp/message-task.ts';
import { openMessageThreads } from '../../src/base/openpgp/message-threads.ts';
import { type GnuPg, openGnuPg } from '../helpers/gnupg.ts';
import { ownKey } from '../helpers/messages.ts';

export const CLEAR = Buffer.from('CardNumber,Expiry\n4111111111111111,12/2029\n'.repeat(20_000));

export interface MessageRun {
	/** What came out until the end, or until the message was refused. */
	readonly received: Buffer;
	readonly refused: string | undefined;
	/** What that is for pages. */
	readonly told: Told | undefined;
}

/** Opens the threads, and a partner with GnuPG who knows the own key. */
export async function openParts(t: ExecutionContext<unknown>) {
	const threads = openMessageThreads();
	t.teardown(() => threads.close());
	const own = await ownKey();
	const gpg: GnuPg = openGnuPg(t);
	gpg(['--import'], own.publicKey);
	const run = async (task: MessageTask, message: Uint8Array): Promise<MessageRun> => {
		const pieces: Buffer[] = [];
		const work = await threads.begin(task, async (bytes) => void pieces.push(Buffer.from(bytes)));
		let refused: string | undefined;
		let told: Told | undefined;
		try {
			for (let at = 0; at < message.length; at += 65_536) await work.write(message.subarray(at, at + 65_536));
			await work.end();
		} catch (error) {
			refused = (error as { moreInfo?: string }).moreInfo ?? String(error);
			({ told } = error as { told?: Told });
		}
		return { received: Buffer.concat(pieces), refused, told };
	};
	return {
		...{ threads, own, gpg },
		us: own.facts.fingerprint,
		decrypt: (message: Uint8Array, more: Partial<DecryptTask> = {}) =>
			run(
				{
					...{ kind: 'decrypt', signers: [], unsigned: 'accept', maxUnpackedBytes: 2 ** 28, ...more },
					keys: more.keys ?? [{ name: 'own', armored: own.secretKey! }],
				},
				message,
			),
		encrypt: (content: Uint8Array, readers: EncryptTask['readers'], more: Partial<EncryptTask> = {}) =>
			run({ kind: 'encrypt', readers, signer: undefined, armor: false, compress: 'none', ...more }, content),
		/** Returns the public key of a user of GnuPG, under a name. */
		async partner(name: string, user: string) {
			return { name, armored: (await parseKey(name, gpg.exported(user), undefined)).publicKey };
		},
	};
}
