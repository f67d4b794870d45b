/**
 * URLs of non-public hosts, in all spellings that a URL parser or resolver accepts. `{port}` is a
 * port with a listener.
 */
export const FORBIDDEN_URLS: readonly string[] = [
  'http://127.0.0.1:{port}/',
  'https://127.0.0.1:{port}/',
  'http://127.1:{port}/',
  'http://0x7f.1:{port}/',
  'http://0x7f000001:{port}/',
  'http://2130706433:{port}/',
  'http://0177.0.0.1:{port}/',
  'http://127。0。0。1:{port}/',
  'http://①②⑦.⓪.⓪.①:{port}/',
  'http:127.0.0.1:{port}',
  'http://\t127.0.0.1:{port}/',
  'http://user@127.0.0.1:{port}/',
  'http://0:{port}/',
  'http://0.0.0.0:{port}/',
  'http://[::]:{port}/',
  'http://[::1]:{port}/',
  'https://[::1]:{port}/',
  'http://[0:0:0:0:0:0:0:1]:{port}/',
  'http://[::ffff:127.0.0.1]:{port}/',
  'http://[::ffff:7f00:1]:{port}/',
  'http://[::127.0.0.1]:{port}/',
  'http://[64:ff9b::7f00:1]:{port}/',
  'http://[2002:7f00:1::]:{port}/',
  'http://localhost:{port}/',
  'http://localhost.:{port}/',
  'http://LOCALHOST:{port}/',
  'http://ⓛocalhost:{port}/',
  'http://loopback.example:{port}/',
  'http://mixed.example:{port}/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://169.254.169.254.nip.example/',
  'https://kubernetes.default.svc.cluster.local/api',
  'http://10.0.0.1:{port}/',
  'http://172.16.0.1:{port}/',
  'http://192.168.0.1:{port}/',
  'http://100.64.0.1:{port}/',
  'http://192.0.0.8:{port}/',
  'http://198.18.0.1:{port}/',
  'http://240.0.0.1:{port}/',
  'http://255.255.255.255:{port}/',
  'http://[fe80::1]:{port}/',
  'http://[ff02::1]:{port}/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:{port}/',
];

/**
 * Addresses of the corpus names, as a malicious resolver or a cluster returns them; other names are
 * resolved by the system.
 */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  'localhost.': ['127.0.0.1'],
  'loopback.example': ['127.0.0.1'],
  'mixed.example': ['203.0.114.1', '127.0.0.1'],
  '169.254.169.254.nip.example': ['169.254.169.254'],
  'kubernetes.default.svc.cluster.local': ['10.96.0.1'],
};
