import { execFileSync } from 'node:child_process';
import { testOnLinux } from '../helpers/test-on-linux.ts';

const url = (path: string) => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
const WARN = `
	import { warnOfDescriptorLimit } from ${url('installation/doctor/descriptor-limit.ts')};
	import { loadSettings } from ${url('base/settings/settings.ts')};
	const settings = loadSettings({ env: { TOKENDROP_HTTP_MAX_CONNECTIONS: '1000', TOKENDROP_RELAY_MAX_IN_FLIGHT: '500' } });
	const said = [];
	warnOfDescriptorLimit(settings, { warn: (details, text) => said.push([details, text]) });
	console.log(JSON.stringify(said));
`;

function saidWithLimit(limit: number): [{ limit: number; needed: number }, string][] {
	const command = `ulimit -n ${limit} && exec "$0" --input-type=module -e "$1"`;
	return JSON.parse(execFileSync('sh', ['-c', command, process.execPath, WARN], { encoding: 'utf8' }));
}

testOnLinux('a daemon that may open fewer files than its settings allow says so, and how many it needs', (t) => {
	const [[{ limit, needed }, text]] = saidWithLimit(1024);
	t.is(limit, 1024);
	t.true(needed > 1700 && needed < 2500, String(needed));
	t.regex(text, /raise it \(LimitNOFILE, ulimit -n\)/);
	t.deepEqual(saidWithLimit(needed), []);
});
