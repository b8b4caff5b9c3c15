import test from 'ava';
import { defenderSettings, sftpLimits } from '../../src/app/daemon-limits.ts';
import { leaves } from '../../src/base/settings/schema.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';

/** Returns the limits among the settings of a section, by the names they have in code, where times are in milliseconds. */
function limitsUnder(section: 'sftp' | 'defender'): [name: string, value: number][] {
	const { [section]: values } = loadSettings({ env: {} });
	return leaves
		.filter(({ path }) => path[0] === section && !['host', 'port', 'allow'].includes(path[1]))
		.map(({ path: [, name] }) => {
			const value = (values as unknown as Record<string, number>)[name];
			return name.endsWith('Seconds') ? [name.replace(/Seconds$/, 'Ms'), value * 1000] : [name, value];
		});
}

test('a limit of sFTP has the name of its setting', (t) => {
	const limits = Object.entries(sftpLimits(loadSettings({ env: {} })));
	for (const limit of limitsUnder('sftp'))
		t.deepEqual(
			limits.find(([name]) => name === limit[0]),
			limit,
		);
});

test('a limit of the defender has the name of its setting', (t) => {
	const limits = Object.entries(defenderSettings(loadSettings({ env: {} })).sftp);
	for (const limit of limitsUnder('defender'))
		t.deepEqual(
			limits.find(([name]) => name === limit[0]),
			limit,
		);
});
