"""Papers that several modules name as the source of a measure."""

CLARKE = "Clarke, Vtyurina & Smucker, TOIS 39(3), 2021"
LUO = "Luo, thesis, Waterloo 2021"
TAN = "Tan & Clarke, TKDE 27(11), 2015"
XIE = "Xie et al., SIGIR 2020"
