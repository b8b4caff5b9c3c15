// Ends a connection with a text that says why, which most clients show.

import type { Connection as Client } from 'ssh2';

/** The reasons of RFC 4253 §11.1 that are given. */
export const disconnectReason = { byApplication: 11, tooManyConnections: 12, noMoreLogins: 14 } as const;
export type DisconnectReason = (typeof disconnectReason)[keyof typeof disconnectReason];

/** What a client is told when its connection ends. */
export interface Goodbye {
	readonly reason: DisconnectReason;
	readonly text: string;
}

const messageType = 1;

/** The parts of ssh2's connection with which it writes a packet of its own. */
interface Protocol {
	readonly _packetRW: {
		readonly write: {
			/** The place in a new packet at which its content begins, even while keys are exchanged. */
			readonly allocStartKEX: number;
			alloc(bytes: number, isForced: boolean): Buffer;
			finalize(packet: Buffer, isForced: boolean): Buffer;
		};
	};
	readonly _cipher: { encrypt(packet: Buffer): void };
}

/** Sends the message that ends a connection. ssh2 sends it without a text, so it is written here in the same way. */
export function sendGoodbye(client: Client, { reason, text }: Goodbye): void {
	const { _protocol: protocol } = client as unknown as { readonly _protocol?: Protocol };
	if (protocol === undefined) return;
	const { write } = protocol._packetRW;
	const bytes = Buffer.from(text);
	const packet = write.alloc(1 + 4 + 4 + bytes.length + 4, true);
	let at = write.allocStartKEX;
	packet[at] = messageType;
	packet.writeUInt32BE(reason, at + 1);
	packet.writeUInt32BE(bytes.length, at + 5);
	at += 9;
	packet.set(bytes, at);
	// The text has no language tag.
	packet.writeUInt32BE(0, at + bytes.length);
	protocol._cipher.encrypt(write.finalize(packet, true));
}
