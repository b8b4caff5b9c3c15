import test from 'ava';
import fc from 'fast-check';
import { maxPacketBytes } from '../../src/doors/sftp/protocol/packet.ts';
import { FramingError, PacketAssembler } from '../../src/doors/sftp/protocol/packet-assembler.ts';
import { uint32 } from './request-packets.ts';

function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
	const chunks: Buffer[] = [];
	for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
		const size = sizes[turn % sizes.length];
		chunks.push(bytes.subarray(at, at + size));
		at += size;
	}
	return chunks;
}

function assemble(chunks: readonly Buffer[]): Buffer[] {
	const assembler = new PacketAssembler();
	const packets: Buffer[] = [];
	for (const chunk of chunks) {
		assembler.push(chunk);
		for (let packet = assembler.next(); packet !== null; packet = assembler.next()) packets.push(packet);
	}
	return packets;
}

test('packets come out as they went in, however the stream was cut', (t) => {
	const bodies = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { maxLength: 20 });
	const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 });
	fc.assert(
		fc.property(bodies, sizes, (packets, cuts) => {
			const stream = Buffer.concat(packets.flatMap((body) => [uint32(body.length), Buffer.from(body)]));
			t.deepEqual(
				assemble(cut(stream, cuts)),
				packets.map((body) => Buffer.from(body)),
			);
		}),
	);
});

test('any bytes give packets or a framing error, and never hold more than a packet and a chunk', (t) => {
	fc.assert(
		fc.property(fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 30 }), (chunks) => {
			const assembler = new PacketAssembler();
			try {
				for (const chunk of chunks) {
					assembler.push(Buffer.from(chunk));
					while (assembler.next() !== null);
					if (assembler.heldBytes > maxPacketBytes + 4) return false;
				}
			} catch (error) {
				return error instanceof FramingError;
			}
			return true;
		}),
	);
	t.pass();
});

const refusesLength = test.macro({
	exec(t, length: number) {
		const assembler = new PacketAssembler();
		assembler.push(uint32(length));
		t.throws(() => assembler.next(), { instanceOf: FramingError });
		t.true(assembler.heldBytes <= 4);
	},
	title: (_, length) => `a packet that says it has ${length} bytes is not waited for`,
});

test(refusesLength, 0);
test(refusesLength, maxPacketBytes + 1);
test(refusesLength, 0xffff_ffff);

test('a packet of the greatest size is taken', (t) => {
	const body = Buffer.alloc(maxPacketBytes, 1);
	t.deepEqual(assemble(cut(Buffer.concat([uint32(body.length), body]), [32 * 1024])), [body]);
});
