import type { Welcome } from '../../app/welcome.ts';
import type { Settings } from '../../base/settings/settings.ts';

/**
 * Returns the text that the daemon shows to the person who started it: the addresses of its listeners and, on the first
 * start, the demo account. The key of that account is shown nowhere else.
 */
export function banner({ sftp }: Settings, daemon: Welcome & { readonly opsPort: number | undefined }): string {
	const host = sftp.host === '0.0.0.0' || sftp.host === '::' ? 'localhost' : sftp.host;
	const lines = [
		`Tokendrop is ready: sFTP on ${host} port ${daemon.sftpPort}, HTTP at ${daemon.baseUrl}, health and metrics on port ${daemon.opsPort}.`,
		...daemon.fingerprints.map((fingerprint) => `  host key ${fingerprint}`),
	];
	if (!daemon.hasNativeBinding) lines.push('  ssh2 runs without its compiled binding: transfers are slower.');
	if (!daemon.demo) return lines.join('\n');
	const { userId: user, apiKey } = daemon.demo;
	const sample = 'fixtures/SIMPLECSV/01-basic/input.csv';
	return [
		...lines,
		'',
		'First start: an account was made. Its API key, and a link to the portal that works once, are shown only now:',
		`  user    ${user}`,
		`  key     ${apiKey}`,
		...(daemon.portal === null ? [] : [`  portal  ${daemon.portal}`]),
		'',
		'Try it. The key is the password:',
		`  sftp -P ${daemon.sftpPort} ${user}@${host}`,
		`    put ${sample} /tokenize/SIMPLECSV/first.csv`,
		'    get /tokenized/SIMPLECSV/first.csv',
		'    get /reports/SIMPLECSV/*',
		'or without a dialogue:',
		`  curl --insecure --user '${user}:${apiKey}' --upload-file ${sample} sftp://${host}:${daemon.sftpPort}/tokenize/SIMPLECSV/second.csv`,
		`  curl --insecure --user '${user}:${apiKey}' sftp://${host}:${daemon.sftpPort}/tokenized/SIMPLECSV/second.csv`,
	].join('\n');
}
