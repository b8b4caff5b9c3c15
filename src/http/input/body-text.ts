// From the bytes of a request body to text. Nothing is repaired silently: bytes that are not text are refused.

import { ServiceError } from '../../errors.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)"?/i;
const DECLARED_ENCODING = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;
/** An XML declaration is no longer than this. */
const DECLARATION_BYTES = 200;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes by the charset of the content type, else of the XML declaration, else UTF-8. A byte order mark is taken off.
 * @throws ServiceError `message-malformed`
 */
export function decodeBody(bytes: Buffer, contentType = ''): string {
	const charset = CHARSET.exec(contentType)?.[1] ?? declaredEncoding(bytes) ?? 'utf-8';
	const decoder = decoderOf(charset);
	try {
		return decoder.decode(bytes);
	} catch {
		throw new ServiceError('message-malformed', {
			field: 'body',
			problem: 'bytes that are not text in its character set',
		});
	}
}

function decoderOf(charset: string): Pick<typeof utf8, 'decode'> {
	if (charset.toLowerCase() === 'utf-8') return utf8;
	try {
		return new TextDecoder(charset, { fatal: true });
	} catch {
		throw new ServiceError('message-malformed', { field: 'Content-Type', problem: 'unknown charset' });
	}
}

/** UTF-16 cannot be read far enough to see what it declares; its byte order mark, which XML asks for, says it. */
function declaredEncoding(bytes: Buffer): string | undefined {
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
	if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
	return DECLARED_ENCODING.exec(bytes.toString('latin1', 0, DECLARATION_BYTES))?.[1];
}
