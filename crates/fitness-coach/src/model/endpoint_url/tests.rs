use super::*;

fn parse_ips(list: &[&str]) -> Vec<IpAddr> {
    list.iter().map(|ip| ip.parse().unwrap()).collect()
}

#[test]
fn loopback_private_and_https_urls_are_accepted() {
    for good in [
        "https://api.anthropic.com",
        "https://example.org:8443/openai/v1/",
        "https://8.8.8.8/v1",
        "http://127.0.0.1:11434/v1",
        "http://localhost:8080/v1",
        "http://[::1]:8080",
        "http://192.168.1.20:1234/v1",
        "http://10.0.0.3",
        "http://172.16.9.9/v1",
        "http://[fd12:3456::1]:8080/v1",
        "http://[::ffff:192.168.1.20]/v1",
        // Written in ways that mean 127.0.0.1.
        "http://2130706433:1/v1",
        "http://0x7f.1/v1",
        "http://017700000001/v1",
        // A name: what it resolves to is looked at before every request.
        "http://nas.local:11434/v1",
    ] {
        assert!(EndpointUrl::parse(good).is_ok(), "{good}: {:?}", EndpointUrl::parse(good));
    }
}

#[test]
fn public_only_scope_refuses_private_addresses() {
    for near in [
        "127.0.0.1:11434",
        "localhost:11434",
        "x.localhost",
        "LOCALHOST.",
        "2130706433",
        "0x7f.1",
        "10.0.0.3",
        "172.16.9.9",
        "192.168.1.20:1234",
        "100.64.0.1",
        "[::1]",
        "[fd12:3456::1]",
        "[::ffff:192.168.1.20]",
        "[64:ff9b::10.0.0.1]",
        "[2002:7f00:1::1]",
    ] {
        let text = format!("https://{near}/v1");
        let refused = EndpointUrl::parse_within(&text, NetworkScope::PublicOnly);
        assert!(matches!(refused, Err(EndpointUrlError::PrivateNetwork { .. })), "{text}: {refused:?}");
        assert!(EndpointUrl::parse(&text).is_ok(), "{text}");
    }
    assert!(EndpointUrl::parse_within("https://api.anthropic.com", NetworkScope::PublicOnly).is_ok());
    let name = EndpointUrl::parse_within("https://models.example.org", NetworkScope::PublicOnly).unwrap();
    assert!(matches!(
        name.check_ips(&parse_ips(&["93.184.216.34", "10.0.0.1"])),
        Err(EndpointUrlError::PrivateNetwork { .. })
    ));
    assert_eq!(name.check_ips(&parse_ips(&["93.184.216.34"])), Ok(()));
    let link_local = EndpointUrl::parse_within("https://169.254.169.254", NetworkScope::PublicOnly);
    assert!(matches!(link_local, Err(EndpointUrlError::Reserved { .. })));
}

#[tokio::test]
async fn public_only_resolver_refuses_private_addresses() {
    let found = FilteringResolver(NetworkScope::PublicOnly).resolve("localhost".parse().unwrap()).await;
    assert!(found.is_err_and(|error| error.to_string().contains("only the owner of the server")));
}

#[test]
fn over_plain_http_nothing_leaves_the_own_network() {
    for bad in [
        "http://8.8.8.8/v1",
        "http://172.32.0.1",
        "http://100.64.0.1",
        "http://[2001:4860:4860::8888]/",
        "http://[::ffff:8.8.8.8]/",
        "http://134744072/",
    ] {
        assert!(matches!(EndpointUrl::parse(bad), Err(EndpointUrlError::InsecureHttp { .. })), "{bad}");
    }
    let name = EndpointUrl::parse("http://nas.local/v1").unwrap();
    assert_eq!(name.check_ips(&parse_ips(&["192.168.1.4", "fd00::4"])), Ok(()));
    assert!(matches!(
        name.check_ips(&parse_ips(&["192.168.1.4", "1.1.1.1"])),
        Err(EndpointUrlError::InsecureHttp { .. })
    ));
}

#[test]
fn link_local_and_metadata_addresses_are_refused_however_they_are_written() {
    for host in [
        "169.254.169.254",
        "169.254.1.1",
        "0xa9fea9fe",
        "2852039166",
        "0251.0376.0251.0376",
        "169.16689662",
        "[fe80::1]",
        "[febf::1]",
        "[fd00:ec2::254]",
        "[fd20:ce::254]",
        "[::ffff:169.254.169.254]",
        "[::ffff:a9fe:a9fe]",
        "[::169.254.169.254]",
        "[64:ff9b::169.254.169.254]",
        "[2002:a9fe:a9fe::1]",
        "[::ffff:0:a9fe:a9fe]",
        "[64:ff9b:1::a9fe:a9fe]",
        "[2001:db8::5efe:a9fe:a9fe]",
        "[2001:0:1:2:3:4:5601:5601]",
        "100.100.100.200",
        "168.63.129.16",
        "0.0.0.0",
        "0",
        "[::]",
        "224.0.0.1",
        "255.255.255.255",
        "[ff02::1]",
        "metadata.google.internal",
        "METADATA.google.internal.",
        "metadata",
        "metadata.azure.internal",
        "metadata.azure.internal.",
        "instance-data.ec2.internal",
    ] {
        for scheme in ["http", "https"] {
            let text = format!("{scheme}://{host}/v1");
            assert!(matches!(EndpointUrl::parse(&text), Err(EndpointUrlError::Reserved { .. })), "{text}");
        }
    }
    let name = EndpointUrl::parse("https://models.example.org").unwrap();
    for answer in ["169.254.169.254", "fe80::1", "fd00:ec2::254", "::ffff:169.254.0.1", "0.0.0.0"] {
        let answers = parse_ips(&["93.184.216.34", answer]);
        assert!(matches!(name.check_ips(&answers), Err(EndpointUrlError::Reserved { .. })), "{answer}");
    }
    assert_eq!(name.check_ips(&parse_ips(&["93.184.216.34", "10.0.0.1"])), Ok(()));
}

#[test]
fn url_with_credentials_query_or_fragment_is_refused() {
    for bad in ["", "example.org", "ftp://127.0.0.1", "file:///etc/passwd", "http://", "unix:/run/x"] {
        assert_eq!(EndpointUrl::parse(bad), Err(EndpointUrlError::InvalidUrl), "{bad}");
    }
    for bad in
        ["https://me:word@example.org", "https://me@example.org", "https://a.org/?k=v", "https://a.org/#x"]
    {
        assert_eq!(EndpointUrl::parse(bad), Err(EndpointUrlError::HasCredentialsOrQuery), "{bad}");
    }
}

#[test]
fn join_appends_the_path() {
    for (base, whole) in [
        ("https://a.org", "https://a.org/chat/completions"),
        ("https://a.org/v1/", "https://a.org/v1/chat/completions"),
        ("http://127.0.0.1:1/x/v1", "http://127.0.0.1:1/x/v1/chat/completions"),
    ] {
        assert_eq!(EndpointUrl::parse(base).unwrap().join("/chat/completions").as_str(), whole);
    }
}

#[test]
fn refusals_say_what_to_do() {
    for (bad, what) in [
        ("http://8.8.8.8", "https://"),
        ("https://169.254.169.254", "never contacted"),
        ("nonsense", "write it as"),
        ("https://a.org?x", "remove user names"),
    ] {
        let said = EndpointUrl::parse(bad).unwrap_err().to_string();
        assert!(said.contains(what), "{said}");
    }
}

#[tokio::test]
async fn the_resolver_of_the_client_answers_for_this_machine() {
    let found = FilteringResolver::default().resolve("localhost".parse().unwrap()).await.unwrap();
    assert!(found.map(|address| address.ip()).all(|ip| ip.is_loopback()));
}

#[tokio::test]
async fn the_resolver_of_the_client_gives_out_nothing_that_is_never_contacted() {
    for reserved in ["169.254.169.254", "0.0.0.0"] {
        let found = FilteringResolver::default().resolve(reserved.parse().unwrap()).await;
        assert!(found.is_err_and(|error| error.to_string().contains("never contacted")), "{reserved}");
    }
}
