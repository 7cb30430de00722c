#!/bin/bash
# certs.sh DIR - certificates for the tests of TLS, made anew in DIR by openssl:
#
#   ca.pem, other-ca.pem     two authorities; all but the last sign with the first
#   server.pem, .key         for localhost and 127.0.0.1
#   expired.pem, .key        the same, over since 2020
#   wrong-name.pem, .key     valid, but for other.example only
#   client.pem, .key         of the user bench_cert
#   stranger.pem, .key       for localhost, signed by other-ca.pem
#
# The keys are worth nothing and readable by the caller only; the servers' start
# scripts copy theirs.
set -euo pipefail
[ $# -eq 1 ] || { echo "usage: $0 DIR" >&2; exit 2; }
umask 077
mkdir -p "$1"
cd "$1"
log=$PWD/openssl.log
trap 'tail -n 5 "$log" >&2' ERR

# authority NAME
authority() {
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj "/CN=tiermark test $1" \
        -addext keyUsage=critical,keyCertSign,cRLSign \
        -keyout "$1.key" -out "$1.pem" >>"$log" 2>&1
}

# sign NAME CN ALTERNATIVE-NAMES AUTHORITY [START END]
# `openssl ca` is the only way to choose both dates before OpenSSL 3.4.
sign() {
    local name=$1 cn=$2 names=$3 authority=$4
    local dates=(-days 3650)
    [ $# -lt 6 ] || dates=(-startdate "$5" -enddate "$6")
    rm -rf book && mkdir book && : >book/index.txt
    cat >book/conf <<CONF
[ca]
default_ca = book
[book]
database = book/index.txt
new_certs_dir = book
rand_serial = yes
default_md = sha256
policy = any
[any]
commonName = supplied
[extensions]
basicConstraints = CA:FALSE
subjectAltName = $names
CONF
    openssl req -newkey rsa:2048 -nodes -subj "/CN=$cn" -keyout "$name.key" -out book/request >>"$log" 2>&1
    openssl ca -batch -notext -config book/conf -extensions extensions "${dates[@]}" \
        -cert "$authority.pem" -keyfile "$authority.key" -in book/request -out "$name.pem" >>"$log" 2>&1
    rm -rf book
}

authority ca
authority other-ca
here=DNS:localhost,IP:127.0.0.1
sign server localhost "$here" ca
sign expired localhost "$here" ca 20200101000000Z 20200201000000Z
sign wrong-name other.example DNS:other.example ca
sign client bench_cert DNS:bench-cert.example ca
sign stranger localhost "$here" other-ca
