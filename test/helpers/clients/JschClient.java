// Runs Java's JSch for the tests. It reads a verb and its arguments from each line, and answers with a line that begins with
// `ok` or `failed`.

import com.jcraft.jsch.ChannelSftp;
import com.jcraft.jsch.JSch;
import com.jcraft.jsch.JSchException;
import com.jcraft.jsch.Session;
import com.jcraft.jsch.SftpException;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

public class JschClient {
	private static final int TIMEOUT_MS = 20_000;

	private static void answer(String outcome, List<String> words) {
		StringBuilder line = new StringBuilder(outcome);
		for (String word : words) line.append('\t').append(word.replaceAll("\\s+", " "));
		System.out.println(line);
	}

	private static void fail(Exception error) {
		answer("failed", List.of(error.toString()));
	}

	private static ChannelSftp login() throws JSchException {
		JSch library = new JSch();
		String key = System.getenv("TEST_KEY");
		if (key != null) library.addIdentity(key);
		Session session =
				library.getSession(System.getenv("TEST_USER"), "127.0.0.1", Integer.parseInt(System.getenv("TEST_PORT")));
		session.setConfig("StrictHostKeyChecking", "no");
		session.setConfig("PreferredAuthentications", key == null ? "password" : "publickey");
		if (key == null) session.setPassword(System.getenv("TEST_PASSWORD"));
		session.connect(TIMEOUT_MS);
		ChannelSftp sftp = (ChannelSftp) session.openChannel("sftp");
		sftp.connect(TIMEOUT_MS);
		return sftp;
	}

	private static List<String> carryOut(ChannelSftp sftp, String[] words) throws SftpException {
		List<String> names = new ArrayList<>();
		switch (words[0]) {
			case "put" -> sftp.put(words[1], words[2]);
			case "resume" -> sftp.put(words[1], words[2], ChannelSftp.RESUME);
			case "rename" -> sftp.rename(words[1], words[2]);
			case "get" -> sftp.get(words[1], words[2]);
			case "names" -> {
				for (Object entry : sftp.ls(words[1])) names.add(((ChannelSftp.LsEntry) entry).getFilename());
			}
			default -> throw new IllegalArgumentException(words[0]);
		}
		return names;
	}

	public static void main(String[] args) throws Exception {
		ChannelSftp sftp;
		try {
			sftp = login();
		} catch (JSchException error) {
			fail(error);
			System.exit(1);
			return;
		}
		answer("ok", List.of());
		BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			try {
				answer("ok", carryOut(sftp, line.split("\t")));
			} catch (SftpException error) {
				fail(error);
			}
		}
		System.exit(0);
	}
}
