// Measures uploads over sFTP to a daemon whose files are in a bucket, beside one whose files are on the disk.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bucketVariables } from '../test/helpers/bucket-variables.ts';
import { type Door, opensshSftp } from '../test/helpers/daemon-clients.ts';
import { startRadosgw } from '../test/helpers/radosgw.ts';
import { cutBytes, runs, tellBytes } from './amounts.ts';
import { figure, median } from './figures.ts';
import { generate } from './generate.ts';
import { findMissingPrograms, missingRow } from './missing.ts';
import { forgetPeak, readProcess } from './process-usage.ts';
import { GCM } from './sftp-servers.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';
import { withDaemon } from './with-daemon.ts';

const RUNS = runs(3);
const LARGE_BYTES = cutBytes(256 * 1024 * 1024);
const EACH_BYTES = cutBytes(32 * 1024 * 1024);
const CLIENTS = 20;
const RATE_GOAL = { must: 0.5, aim: 0.9 };
const MEMORY_GOAL = { must: 400 };

const LARGE = `upload ${tellBytes(LARGE_BYTES)} into a bucket, beside the disk`;
const MANY = `${CLIENTS} uploads of ${tellBytes(EACH_BYTES)} at once into a bucket: memory`;

/** A daemon under test: how clients reach it, and its process. */
interface Side {
	readonly door: Door;
	readonly pid: number;
}

/** Returns a row for one large file and one for many clients at once. */
export async function s3Rows(folder: string): Promise<BenchRow[]> {
	const missing = findMissingPrograms('sftp', 'radosgw', 'ceph-mon', 'ceph-osd');
	if (missing.length > 0) return [missingRow(LARGE, missing), missingRow(MANY, missing)];
	await using t = new Teardowns();
	const server = await startRadosgw(t);
	const variables = bucketVariables(server.makePlace('bench/'), join(folder, 'secret'));
	return await withSide(folder, {}, (disk) =>
		withSide(folder, variables, async (bucket) => [
			await largeRow(folder, disk, bucket, server.pids),
			await manyRow(folder, disk, bucket),
		]),
	);
}

function withSide<T>(folder: string, variables: Record<string, string>, measure: (side: Side) => Promise<T>) {
	const many = { TOKENDROP_SFTP_MAX_SESSIONS_PER_ACCOUNT: '100' };
	return withDaemon({ ...many, ...variables }, (_url, { userId, apiKey }, _installation, { sftpPort, pid }) =>
		measure({ door: { port: sftpPort, folder, userName: userId, password: apiKey }, pid }),
	);
}

/** Sends a file under a partial name, for which no job begins, so that only the upload is measured. */
async function send({ door }: Side, path: string, name: string, options: readonly string[] = []): Promise<void> {
	// Each client has a folder of its own for the script that tells its password.
	const own = join(door.folder, name);
	mkdirSync(own, { recursive: true });
	const { code, stderr } = await opensshSftp(
		{ ...door, folder: own },
		[`put ${path} /tokenize/CSV/${name}.filepart`],
		[...GCM, ...options],
	);
	if (code !== 0) throw new Error(`sftp: ${stderr}`);
}

async function largeRow(folder: string, disk: Side, bucket: Side, server: readonly number[]): Promise<BenchRow> {
	const { path, bytes } = generate('NOCARD', join(folder, 'large.csv'), LARGE_BYTES);
	const [disks, buckets, processor, ofServer]: number[][] = [[], [], [], []];
	const secondsOfServer = () => server.reduce((sum, pid) => sum + readProcess(pid).processorSeconds, 0);
	for (let n = 0; n < RUNS; n++) {
		for (const [side, rates] of [
			[disk, disks],
			[bucket, buckets],
		] as const) {
			const before = readProcess(side.pid).processorSeconds;
			const serverBefore = secondsOfServer();
			const started = performance.now();
			await send(side, path, 'large');
			rates.push(bytes / 1000 / (performance.now() - started));
			if (side !== bucket) continue;
			processor.push(readProcess(side.pid).processorSeconds - before);
			ofServer.push(secondsOfServer() - serverBefore);
		}
	}
	rmSync(path);
	const times = buckets.map((rate, n) => rate / disks[n]);
	const [inBucket, onDisk] = [median(buckets), median(disks)];
	return {
		what: LARGE,
		result: `${inBucket.toFixed(0)} MB/s, disk ${onDisk.toFixed(0)}: ${median(times).toFixed(2)} (${median(processor).toFixed(2)} s of the daemon's processor time, ${median(ofServer).toFixed(2)} s of the bucket's)`,
		target: `${RATE_GOAL.must} (${RATE_GOAL.aim}) times the disk`,
		figures: [
			figure('s3/upload/rate', 'MB/s', buckets),
			figure('s3/upload/rate of the disk', 'MB/s', disks, { larger: 'neither' }),
			figure('s3/upload/times', 'times', times, RATE_GOAL),
			figure('s3/upload/processor', 's', processor),
			figure('s3/upload/processor of the bucket', 's', ofServer, { larger: 'neither' }),
		],
	};
}

async function manyRow(folder: string, disk: Side, bucket: Side): Promise<BenchRow> {
	const { path, bytes } = generate('NOCARD', join(folder, 'each.csv'), EACH_BYTES);
	const [peaks, rates, diskPeaks]: number[][] = [[], [], []];
	const measure = async (side: Side) => {
		forgetPeak(side.pid);
		const started = performance.now();
		// Only so many connections of one address may wait for their login, so each client has its own.
		const address = (at: number) => ['-o', `BindAddress=127.0.${at + 1}.1`];
		await Promise.all(Array.from({ length: CLIENTS }, (_, at) => send(side, path, `${at}`, address(at))));
		const rate = (CLIENTS * bytes) / 1000 / (performance.now() - started);
		return { rate, peak: readProcess(side.pid).peakMb };
	};
	for (let n = 0; n < RUNS; n++) {
		diskPeaks.push((await measure(disk)).peak);
		const { rate, peak } = await measure(bucket);
		peaks.push(peak);
		rates.push(rate);
	}
	rmSync(path);
	return {
		what: MANY,
		result: `${median(peaks).toFixed(0)} MB, ${median(rates).toFixed(0)} MB/s; with the disk ${median(diskPeaks).toFixed(0)} MB`,
		target: `${MEMORY_GOAL.must} MB`,
		figures: [
			figure('s3/many/memory', 'MB', peaks, MEMORY_GOAL),
			figure('s3/many/memory with the disk', 'MB', diskPeaks, { larger: 'neither' }),
			figure('s3/many/rate', 'MB/s', rates),
		],
	};
}
